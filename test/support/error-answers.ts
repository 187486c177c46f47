import { target } from '../../src/sandbox/trigger-text.js';
import { REQUEST_TRIGGERS } from '../../src/sandbox/triggers.js';
import { dayAhead } from './rental.js';

/** An entry of an answer, by its reason. */
export type ErrorAnswers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Provokes every reason with the first request of docs/sandbox.md that has it, and returns the entry of the answer. Throws if an answer
 * lacks it. `token`: of an application that is subscribed to every product.
 */
export async function takeErrorAnswers(baseUrl: string, token: string): Promise<ErrorAnswers> {
  const own = REQUEST_TRIGGERS.filter(({ application }) => application === undefined);
  const first = new Map(own.toReversed().map((trigger) => [trigger.reason, trigger]));
  const taken = [...first].flatMap(([reason, trigger]) => (reason === undefined ? [] : [{ reason, trigger }]));
  const answers: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  // One after the other: all together, a gateway that has just started rejects one as too many.
  for (const { reason, trigger } of taken) {
    const { scenario, authorization = `Bearer ${token}` } = trigger;
    const path = target(trigger, `pickup_date=${dayAhead(30)}&dropoff_date=${dayAhead(33)}`);
    const headers = { authorization, ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }) };
    const answer = (await (await fetch(`${baseUrl}${path}`, { headers })).json()) as {
      status: { errors?: readonly Readonly<Record<string, unknown>>[] };
    };
    const entry = answer.status.errors?.find((one) => one.reason === reason);
    if (!entry) throw new Error(`${path}: no entry with ${reason}, but ${JSON.stringify(answer.status).slice(0, 300)}`);
    answers.push([reason, entry]);
  }
  return Object.fromEntries(answers.sort(([one], [other]) => (one < other ? -1 : 1)));
}
