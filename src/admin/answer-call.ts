import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Signer } from '../admin-keys/admin-keys.js';
import { NO_OPERATORS } from '../cli/account-commands.js';
import type { CommandRun, OpenedGateway } from '../cli/command-run.js';
import { readFor } from '../database/report-pool.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { ApiError } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import type { AdminOperation } from './admin-operation.js';
import { capturedCommand } from './captured-command.js';
import { commandBody, streamCommand } from './command-stream.js';
import { jsonIn } from './read-body.js';
import { BASE, queryOf, routeOf } from './router.js';

/** The longest operation is the audit of reservations, which asks suppliers. */
const MOST_OPERATION_MS = 600_000;

/** A call whose signature is accepted. */
export interface AcceptedCall {
  readonly method: string;
  /** Path with query. */
  readonly target: string;
  readonly body: Buffer;
  readonly address: string;
  readonly requestId: string;
  readonly signer: Signer;
  readonly gateway: OpenedGateway;
}

/** Where the answer goes. */
export interface AdminAnswer {
  readonly response: ServerResponse;
  /** Answers 200 with JSON. */
  json(value: unknown): void;
}

/** Answers a call. Throws ApiError for what is refused, before anything was sent. */
export async function answerCall(call: AcceptedCall, answer: AdminAnswer): Promise<void> {
  const { method, target, signer, gateway } = call;
  const path = target.split('?', 1)[0] ?? '';
  if (signer.role !== 'operator' && method !== 'GET')
    throw ApiError.of('permissions_failure', 'The key may only read: its role is viewer.');
  const origin = originOf(call, signer);
  const user = `${signer.name} (${signer.id})`;
  if (method === 'POST' && path === `${BASE}/commands`) {
    const body = new SchemaPipe(commandBody).transform(jsonIn(call.body) ?? {});
    await streamCommand(body, { gateway, origin, user }, answer.response);
    return;
  }
  const { operation, params } = routeOf(method, path);
  if (operation.isOnlyOnPages) throw ApiError.of('permissions_failure', NO_OPERATORS);
  const query = new SchemaPipe<Record<string, unknown>>(operation.query ?? z.strictObject({})).transform(
    queryOf(target),
  );
  const result = await withinTime(
    readFor(signer.id, () =>
      operation.run({
        ...{ gateway, params, query, body: bodyOf(operation, call.body) },
        command: (words) => capturedCommand(words, gateway, { user, origin }),
      }),
    ),
  );
  if (!isStream(result)) answer.json({ status: statusContainer(Date.now(), 200, []), ...result });
  else {
    answer.response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
    await pipeline(Readable.from(result), answer.response);
  }
}

function originOf({ address, requestId }: AcceptedCall, { id, name }: Signer): NonNullable<CommandRun['origin']> {
  return { channel: 'admin_api', agent: `${id} (${name})`, address, requestId };
}

function bodyOf({ body }: AdminOperation, sent: Buffer): Readonly<Record<string, unknown>> {
  if (body) return new SchemaPipe<Record<string, unknown>>(body, 'body').transform(jsonIn(sent));
  if (sent.length > 0) throw ApiError.of('invalid_request', 'This operation takes no body.');
  return {};
}

function isStream(result: Readonly<Record<string, unknown>> | AsyncIterable<string>): result is AsyncIterable<string> {
  return Symbol.asyncIterator in result;
}

/** A change that takes longer is completed; the audit log says what it did. */
async function withinTime<T>(work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = wait(MOST_OPERATION_MS, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw ApiError.of('timeout', 'The operation takes longer than 10 minutes. Check the audit log.');
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
  }
}
