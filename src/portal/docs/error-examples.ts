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

/** A response and how to trigger it. */
export interface ErrorExample {
  readonly code: number;
  /** Reason of the error entry; empty for a success. */
  readonly reason: string;
  /** May be empty. */
  readonly cause: string;
  /** How to trigger it; backticks mark code. */
  readonly how: string;
  /** Path of the console with the request filled in; undefined if it takes more than one request of the reader's application. */
  readonly console: string | undefined;
  /** The button to press there before sending, if any. */
  readonly first: string | undefined;
}

/** The sandbox triggers as links into the console: searches, bookings, then business refusals. */
export function errorExamples(operations: readonly ApiOperation[]): readonly ErrorExample[] {
  return [
    ...REQUEST_TRIGGERS.map((trigger) => ofRequest(trigger, operations)),
    ...BOOKING_TRIGGERS.map(ofBooking),
    ...REFUSAL_TRIGGERS.map(ofRefusal),
  ].map((example) => ({ ...example, first: firstOf(example.console, operations) }));
}

type LinkedExample = Omit<ErrorExample, 'first'>;

/** The button to press before the request of a console path can be sent, if any. */
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

/** Undefined for a request of another application, or one that isn't an operation. */
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

/** Body fields are not in the link: the console reads them from the trigger of this cause. */
function refusalPath({ cause, request }: RefusalTrigger): string | undefined {
  if (!request) return undefined;
  const { operation, place, brand, scenario } = request;
  const filled = new URLSearchParams({ operation, recipe: cause, pickup_location: place, brand });
  if (scenario !== undefined) filled.set('scenario', scenario);
  return `/console?${filled}`;
}

/** Matches the paths of an operation, with or without a trailing slash. Path parameters are named groups. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}/?$`);
}
