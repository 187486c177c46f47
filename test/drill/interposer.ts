import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import type { Certificates } from './certificates.js';

/** What one call asks of a supplier, whatever its dialect. */
export type Asked = 'vehicle searches' | 'location searches' | 'price checks' | 'bookings' | 'other';

/** What a supplier does with a call. */
export interface Fault {
  /** The calls that it affects; undefined = all. */
  readonly only?: Asked;
  /** Share of these calls, 0 to 1. */
  readonly share?: number;
  readonly act:
    | { readonly kind: 'hang' | 'expired' | 'empty' | 'garbage' | 'refuse' }
    | { readonly kind: 'answer'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
    | { readonly kind: 'slower'; readonly times: number }
    | { readonly kind: 'prices'; readonly times: number };
}

/** A supplier in front of a simulator, whose faults are switched on and off while it runs. */
export interface Interposer {
  readonly url: string;
  become(faults: readonly Fault[]): void;
  /** How often each kind of call was affected. */
  readonly affected: ReadonlyMap<Asked, number>;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1, with TLS if it has certificates. */
export async function startInterposer(target: string, certificates?: Certificates): Promise<Interposer> {
  const affected = new Map<Asked, number>();
  let faults: readonly Fault[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const asked = askedBy(request, body.toString('latin1'));
    const fault = faults.find(({ only, share = 1 }) => (only ?? asked) === asked && Math.random() < share);
    if (fault) affected.set(asked, (affected.get(asked) ?? 0) + 1);
    await play(fault, { request, response, body, target });
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    // A gateway that stopped waiting closes the connection.
    answer(request, response).catch(() => response.destroy());
  };
  const secure: SecureServer | undefined = certificates && createSecureServer(certificates.valid, listener);
  const server = secure ?? createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `${secure ? 'https' : 'http'}://127.0.0.1:${port}`,
    affected,
    become: (next) => {
      faults = next;
      if (secure && certificates && next.some(({ act }) => act.kind === 'expired')) {
        secure.setSecureContext(certificates.expired);
        secure.closeAllConnections();
      }
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly target: string;
}

async function play(fault: Fault | undefined, exchange: Exchange): Promise<void> {
  const { response } = exchange;
  const act = fault?.act;
  switch (act?.kind) {
    case 'hang':
      return;
    case 'refuse':
      exchange.request.socket.resetAndDestroy();
      return;
    case 'answer':
      response.writeHead(act.status, { 'content-type': 'text/plain', ...act.headers }).end('not now');
      return;
    case 'garbage':
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!DOCTYPE html><html><body>Please log in</body></html>');
      return;
    case 'empty':
      await forward(exchange, { 'x-sim-directive': 'empty' });
      return;
    case 'slower':
      await forward(exchange, {}, { times: act.times });
      return;
    case 'prices':
      await forward(exchange, {}, { change: (text) => priced(text, act.times) });
      return;
    default:
      await forward(exchange);
  }
}

async function forward(
  { request, response, body, target }: Exchange,
  more: Readonly<Record<string, string>> = {},
  { times = 1, change = (text) => text }: { readonly times?: number; readonly change?: (text: string) => string } = {},
): Promise<void> {
  const startedAt = performance.now();
  const { 'transfer-encoding': _chunked, ...headers } = request.headers;
  const onward = httpRequest(new URL(request.url ?? '/', target), {
    method: request.method ?? 'GET',
    headers: { ...headers, ...more, 'content-length': body.length },
    agent: false,
  });
  onward.end(body);
  const [received] = (await once(onward, 'response')) as [IncomingMessage];
  const text = change(Buffer.concat((await received.toArray()) as Buffer[]).toString());
  await wait((performance.now() - startedAt) * (times - 1));
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...kept } = received.headers;
  response.writeHead(received.statusCode ?? 502, { ...kept, 'content-length': Buffer.byteLength(text) }).end(text);
}

/** By the path of the REST dialect of abg and by the message of OpenTravel. */
function askedBy({ url = '', method }: IncomingMessage, body: string): Asked {
  const message = /OTA_(\w+?)RQ/.exec(body)?.[1];
  if (message !== undefined)
    return (
      (
        {
          VehAvailRate: 'vehicle searches',
          VehLocSearch: 'location searches',
          VehRateRule: 'price checks',
          VehRes: 'bookings',
        } as const
      )[message] ?? 'other'
    );
  if (/\/rates/.test(url)) return 'price checks';
  if (/\/catalog\//.test(url)) return 'vehicle searches';
  if (/\/locations\//.test(url)) return 'location searches';
  return /\/reservation/.test(url) && method === 'POST' ? 'bookings' : 'other';
}

/** Multiplies amounts of both dialects. */
function priced(text: string, times: number): string {
  const amount = (_whole: string, before: string, value: string, after: string): string =>
    `${before}${(Number(value) * times).toFixed(2)}${after}`;
  return text
    .replace(/(\w*(?:Amount|UnitCharge|Total)\w*=")(\d+(?:\.\d+)?)(")/g, amount)
    .replace(/("\w*(?:amount|total|rate|price)\w*":\s*"?)(\d+(?:\.\d+)?)("?[,}\s])/gi, amount);
}
