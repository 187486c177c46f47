import { answerOf, bookingText, requestText } from '../../sandbox/trigger-text.js';
import {
  BOOKING_TRIGGERS,
  type BookingTrigger,
  REFUSAL_TRIGGERS,
  REQUEST_TRIGGERS,
  type RefusalTrigger,
  type RequestTrigger,
} from '../../sandbox/triggers.js';
import type { ApiOperation } from '../console/api-operations.js';
import { exampleOf } from '../console/examples.js';
import { PREPARATIONS, preparationOf } from '../console/operation-form.js';

/** An answer, and what brings it about. */
export interface ErrorExample {
  readonly code: number;
  /** Of the error entry; empty = a success. */
  readonly reason: string;
  /** Empty = none. */
  readonly cause: string;
  /** What is done; backticks mark code. */
  readonly how: string;
  /** The console with all of it filled in; undefined = it takes more than one request of the reader's application. */
  readonly console: string | undefined;
  /** The button to press there before sending; undefined = none. */
  readonly first: string | undefined;
}

/** The triggers of the sandbox as links into the console: searches, then bookings, then business refusals. */
export function errorExamples(operations: readonly ApiOperation[]): readonly ErrorExample[] {
  return [
    ...REQUEST_TRIGGERS.map((trigger) => ofRequest(trigger, operations)),
    ...BOOKING_TRIGGERS.map(ofBooking),
    ...REFUSAL_TRIGGERS.map(ofRefusal),
  ].map((example) => ({ ...example, first: firstOf(example.console, operations) }));
}

type LinkedExample = Omit<ErrorExample, 'first'>;

/** The button to press before what a path of the console has filled in can be sent; undefined = none. */
function firstOf(path: string | undefined, operations: readonly ApiOperation[]): string | undefined {
  const given = new URLSearchParams(path?.split('?')[1]);
  const fields = operations.find(({ id }) => id === given.get('operation'))?.fields ?? [];
  const needed = preparationOf(fields.filter(({ name }) => !given.has(name)));
  return needed && PREPARATIONS[needed];
}

function ofRequest(trigger: RequestTrigger, operations: readonly ApiOperation[]): LinkedExample {
  const { code, reason = '', cause = '' } = trigger;
  return { code, reason, cause, how: requestText(trigger), console: requestPath(trigger, operations) };
}

/** Undefined for a request of another application, and for one that is no operation. */
function requestPath(
  { path, query, scenario, authorization, application }: RequestTrigger,
  operations: readonly ApiOperation[],
): string | undefined {
  const operation = operations.find(({ method, path: known }) => method === 'GET' && patternOf(known).test(path));
  if (application !== undefined || !operation) return undefined;
  const blank =
    'pickup_location' in query ? {} : Object.fromEntries(Object.keys(exampleOf(operation)).map((name) => [name, '']));
  const inPath = patternOf(operation.path).exec(path)?.groups ?? {};
  const filled = new URLSearchParams({ operation: operation.id, ...blank, ...inPath, ...query });
  if (scenario !== undefined) filled.set('scenario', scenario);
  if (authorization !== undefined) filled.set('bearer', authorization.startsWith('Bearer') ? 'wrong' : 'scheme');
  return `/console?${filled}`;
}

function ofBooking(trigger: BookingTrigger): LinkedExample {
  const { code, reason = '', cause = '', place, brand, scenario } = trigger;
  const filled = new URLSearchParams({ operation: 'createReservation', pickup_location: place, brand });
  if (scenario !== undefined) filled.set('scenario', scenario);
  return { code, reason, cause, how: bookingText(trigger), console: `/console?${filled}` };
}

function ofRefusal(trigger: RefusalTrigger): LinkedExample {
  const { code, reason } = answerOf(trigger);
  return { code, reason, cause: trigger.cause, how: trigger.how, console: refusalPath(trigger) };
}

/** What goes into a body is in no link: the console takes it from the trigger of this cause. */
function refusalPath({ cause, request }: RefusalTrigger): string | undefined {
  if (!request) return undefined;
  const { operation, place, brand, scenario } = request;
  const filled = new URLSearchParams({ operation, recipe: cause, pickup_location: place, brand });
  if (scenario !== undefined) filled.set('scenario', scenario);
  return `/console?${filled}`;
}

/** Matches the paths of an operation, with or without slash at the end; a part that varies is a group of its name. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);
}
