import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import { AdminKeys } from '../admin-keys/admin-keys.js';
import type { OpenedGateway } from '../cli/command-run.js';
import type { Config } from '../config/config.schema.js';
import { Callers } from '../http/admission/callers.js';
import { ERROR_HEADERS, errorText } from '../http/error-answer.js';
import { listenNear } from '../http/listen.js';
import { sideServer } from '../http/side-server.js';
import { ApiError } from '../status/api-error.js';
import { translateError } from '../system/translate-error.js';
import { adminDescription } from './admin-description.js';
import { type AdminAnswer, answerCall } from './answer-call.js';
import { authenticate, refuseTooMany } from './authenticate.js';
import { readBody } from './read-body.js';
import { UnsignedCalls } from './unsigned-calls.js';

/** A running admin API. */
export interface AdminServer {
  readonly url: string;
  /** Refuses further calls, and waits for those in progress, for five seconds at most. */
  close(): Promise<void>;
}

/** Signed calls in progress, so that operators don't use all connections to the database. */
const MOST_CALLS = 20;
const MOST_CLOSING_MS = 5_000;
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };

/**
 * Serves the admin API (docs/admin-api.md) on an address of its own (settings `admin`): callers and the proxies in front of
 * the gateway don't reach it. Undefined without a port. Every call but the description must be signed; of calls that
 * aren't, a network has 20 per minute, and as many of the description. Rejects if it cannot listen or read its TLS files.
 */
export async function serveAdmin(gateway: OpenedGateway, logger: Logger): Promise<AdminServer | undefined> {
  const { admin, environment, http } = gateway.config;
  if (admin.port === undefined) return undefined;
  const keys = new AdminKeys(gateway.database, environment);
  const [attempts, readers, callers] = [new UnsignedCalls(), new UnsignedCalls(), new Callers(http.trustedProxies)];
  const running = new Set<Promise<void>>();
  /** Strangers can't use up the calls of operators. */
  let accepted = 0;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = `adm_${randomBytes(12).toString('hex')}`;
    const address = callers.addressOf(request);
    const startedAt = performance.now();
    let keyId: string | undefined;
    response.setHeader('x-request-id', requestId);
    try {
      if (request.method === 'GET' && request.url === '/admin/openapi.json') {
        refuseTooMany(address, readers);
        readers.add(address);
        describe(response);
        return;
      }
      refuseTooMany(address, attempts);
      const body = await readBody(request);
      const signer = await authenticate({ request, body, address }, keys, attempts);
      keyId = signer.id;
      if (accepted >= MOST_CALLS) throw busy();
      accepted += 1;
      const { method = '', url: target = '' } = request;
      const call = { method, target, body, address, requestId, signer, gateway };
      await answerCall(call, answerWriter(response)).finally(() => {
        accepted -= 1;
      });
    } catch (error) {
      const known = error instanceof ApiError ? error : translateError(error);
      if (!known) logger.error({ err: error, requestId }, 'a call of the admin API failed');
      refuse(response, known ?? ApiError.of('unexpected_condition'));
    } finally {
      const ms = Math.round(performance.now() - startedAt);
      const path = request.url?.split('?', 1)[0]?.slice(0, 200);
      logger.info(
        { requestId, method: request.method, path, status: response.statusCode, ms, keyId, address },
        'admin call',
      );
    }
  };

  const track = (request: IncomingMessage, response: ServerResponse): void => {
    const call = serve(request, response);
    running.add(call);
    void call.finally(() => running.delete(call));
  };
  const server = sideServer(track, { tls: filesOf(admin.tls) });
  const url = await listenNear(server, admin.host, admin.port);
  return {
    url: admin.tls ? url.replace(/^http:/, 'https:') : url,
    close: async () => {
      server.close();
      await Promise.race([Promise.all(running), wait(MOST_CLOSING_MS, undefined, { ref: false })]);
      server.closeAllConnections();
    },
  };
}

function filesOf(tls: Config['admin']['tls']): { readonly cert: Buffer; readonly key: Buffer } | undefined {
  return tls && { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) };
}

function busy(): ApiError {
  return ApiError.of('maintenance', 'Too many calls are in progress. Try again.', { headers: { 'retry-after': '1' } });
}

let description: string | undefined;

/** Answers with the description, which is built once. */
function describe(response: ServerResponse): void {
  description ??= JSON.stringify(adminDescription());
  response.writeHead(200, JSON_HEADERS).end(description);
}

function answerWriter(response: ServerResponse): AdminAnswer {
  return {
    response,
    json: (value) => void response.writeHead(200, JSON_HEADERS).end(JSON.stringify(value)),
  };
}

/** An answer that has begun can only be cut. */
function refuse(response: ServerResponse, error: ApiError): void {
  if (response.headersSent) response.destroy();
  else
    response.writeHead(error.status, { ...ERROR_HEADERS, ...error.headers }).end(errorText(error.problems, Date.now()));
}
