import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatedAnswer } from '../world.js';
import type { CallName, ManifestCall } from './calls.js';
import { holds } from './expression.js';
import { exampleOf, withValues } from './inverse.js';
import type { ErrorRule, Manifest } from './options.js';

/**
 * The recorded answer to a call, `<folder>/<name>.json`; undefined if there is none. Throws an Error if it is not JSON.
 */
export function recordingOf(folder: string, name: CallName): unknown {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${file} is not JSON: ${error.message}`);
    throw error;
  }
}

/** An answer as JSON. */
export function sent(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/**
 * An answer that the manifest interprets with a given meaning, made from its own rules: from the first rule with that
 * meaning whose condition can be inverted and that no earlier rule shadows. Undefined if there is none.
 */
export function answerMeaning(
  manifest: Manifest,
  { errors }: Pick<ManifestCall, 'errors'>,
  is: (rule: ErrorRule) => boolean,
): SimulatedAnswer | undefined {
  const rules = [...errors, ...manifest.errors];
  for (const rule of rules.filter(is)) {
    const example = rule.when ? exampleOf(rule.when) : [];
    if (!example) continue;
    const body = withValues({}, example);
    const status = statusOf(rule);
    const headers = rule.header ? { [rule.header.name]: rule.header.equals } : {};
    const read = rules.find((candidate) => isAbout(candidate, status, headers, body));
    if (read && is(read)) return sent(body, status, headers);
  }
  return undefined;
}

/**
 * Whether all conditions of a rule hold; a rule without a status applies to refusals other than 401, 403, 408 and 429.
 */
function isAbout(rule: ErrorRule, status: number, headers: Readonly<Record<string, string>>, body: unknown): boolean {
  const { header, when } = rule;
  const isRefusal = status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
  const patterns = rule.status === undefined ? undefined : [rule.status].flat();
  if (patterns ? !patterns.some((one) => one === status || one === `${String(status).charAt(0)}xx`) : !isRefusal)
    return false;
  return (header === undefined || headers[header.name] === header.equals) && (when === undefined || holds(when, body));
}

function statusOf({ status }: ErrorRule): number {
  const [first = 400] = [status].flat();
  return typeof first === 'number' ? first : Number(first[0]) * 100;
}
