import { readFileSync } from 'node:fs';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { openTarget } from '../contract-kit/target.js';
import {
  type Operation,
  type SupplierAdapter,
  type SupplierContext,
  SupplierError,
  type SupplierHttp,
  type SupplierHttpAnswer,
} from '../model/supplier.js';
import { boundedAdapter } from '../suppliers/answers/bounded-adapter.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { type Plan, planFrom, type Result } from './adapter-plan.js';
import { print, tell } from './terminal.js';

/** How `gw adapter try` was called. */
export interface TryOptions {
  readonly request: string;
  readonly response?: readonly string[];
  readonly status: string;
  readonly contentType?: string;
  readonly forReal?: boolean;
}

/**
 * Runs one operation and prints the gateway's model as JSON on stdout: {locations[]} and {vehicles[]} in the format of
 * the API; {booking}, {bookings[]}, {cancellation} and {location_details[]} in the format of the model. Warnings and a count go to stderr.
 * With `response`, nothing is sent and the adapter receives the recorded answers in turn. Without it, the supplier is
 * called, or its simulator if it has no url. Throws an Error if a file is invalid. A fault of the supplier sets exit
 * code 2.
 */
export async function tryAdapter(config: SupplierConfig, operation: string, options: TryOptions): Promise<void> {
  const adapter = boundedAdapter(createAdapter(config));
  const plan = planFrom(options.request, adapter, config, operation);
  try {
    const { json, count, warnings } =
      options.response === undefined
        ? await live(config, adapter, plan, options)
        : await plan.run(offline(options.response, options));
    for (const { kind, text, times } of warnings)
      tell(`warning: ${kind}: ${text}${times > 1 ? ` (${times} times)` : ''}`);
    tell(`${count} ${count === 1 ? 'item' : 'items'}, ${warnings.length} warnings`);
    print(JSON.stringify(JSON.parse(json), null, 2));
  } catch (error) {
    sayFault(error);
  }
}

/** Reports a fault of the supplier with exit code 2; throws anything else. */
export function sayFault(error: unknown): void {
  if (!(error instanceof SupplierError)) throw error;
  const refusal = error.refusal === undefined ? '' : ` ${error.refusal}`;
  tell(`the supplier failed: ${error.fault}${refusal}: ${error.message}`);
  process.exitCode = 2;
}

/** Throws an Error for an operation that changes a booking, unless `forReal` is set. */
export function refuseUnlessMeant(operation: Operation, forReal: boolean | undefined): void {
  if (['book', 'modify', 'cancel'].includes(operation) && !forReal)
    throw new Error(
      `${operation} would change a real booking at the supplier: add --for-real, or use a recorded answer with "adapter try … --response"`,
    );
}

/** Runs the plan against the supplier within the operation's timeout and calls `received` with each answer. */
export async function runAt(
  url: string,
  config: SupplierConfig,
  adapter: SupplierAdapter,
  plan: Plan,
  received: (answer: SupplierHttpAnswer) => void = () => undefined,
): Promise<Result> {
  const connection = new SupplierConnection(config, adapter, url);
  const call = connection.open('req_try', 'sandbox', {});
  const timeoutMs = config.timeoutMs[plan.operation];
  const timer = setTimeout(
    () => call.abort(new SupplierError('timeout', `no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  const { http } = call.context;
  const listening: SupplierHttp = {
    send: async (sent, repeatable) => {
      const answer = await http.send(sent, repeatable);
      received(answer);
      return answer;
    },
  };
  try {
    return await plan.run({ ...call.context, http: listening });
  } finally {
    clearTimeout(timer);
    await connection.close();
  }
}

async function live(
  config: SupplierConfig,
  adapter: SupplierAdapter,
  plan: Plan,
  { forReal }: TryOptions,
): Promise<Result> {
  if (config.url !== undefined) refuseUnlessMeant(plan.operation, forReal);
  const target = await openTarget(config, config.url);
  try {
    return await runAt(target.url, config, adapter, plan);
  } finally {
    await target.close();
  }
}

function offline(files: readonly string[], { status: code, contentType }: TryOptions): SupplierContext {
  const status = Number(code);
  if (!Number.isInteger(status) || status < 100 || status > 599)
    throw new Error('--status must be an HTTP status from 100 to 599');
  const answers = files.map((file): SupplierHttpAnswer => {
    const type =
      contentType ?? (file.endsWith('.xml') ? 'text/xml' : file.endsWith('.html') ? 'text/html' : 'application/json');
    return { status, headers: { 'content-type': type }, body: readFileSync(file) };
  });
  let call = 0;
  const send: SupplierHttp['send'] = () => {
    const answer = answers[Math.min(call, answers.length - 1)];
    call += 1;
    if (!answer) throw new SupplierError('unavailable', 'no recorded answer was given', false);
    return Promise.resolve(answer);
  };
  return { http: { send }, requestId: 'req_try', environment: 'sandbox', now: Date.now() };
}
