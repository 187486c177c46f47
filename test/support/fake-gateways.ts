import { request as httpRequest } from 'node:http';
import type { Socket } from 'node:net';
import { type FakeSupplier, startFakeSupplier } from './fake-supplier.js';

/** What a caller sees if it is unknown whether its call was carried out (docs/deployment.md). */
export const NOBODY_KNOWS = /^(500 unexpected_condition|closed)$/;

/** What a fake gateway does with every request but those for its readiness. */
type Play = (socket: Socket, request: string) => void;

/** Two fake gateways on raw sockets, to be put behind a proxy. */
export interface FakeGateways {
  readonly ports: readonly [{ readonly port: number }, { readonly port: number }];
  /** What the first or second one does from now on; a gateway that was closed does nothing. */
  play(index: 0 | 1, play: Play): void;
  /** The second one refuses connections from now on. */
  closeSecond(): Promise<void>;
  close(): Promise<void>;
}

/** Starts both: they are ready, and `play` handles every other request. */
export async function fakeGateways(play: Play): Promise<FakeGateways> {
  const both = [await startFakeSupplier(), await startFakeSupplier()] as const;
  const [one, two] = both;
  const set = (fake: FakeSupplier, next: Play): void =>
    fake.behave((socket, request) =>
      request.startsWith('GET /health/ready ') ? answerOk(socket) : next(socket, request),
    );
  for (const fake of both) set(fake, play);
  const open = new Set<FakeSupplier>(both);
  const closeOne = async (fake: FakeSupplier): Promise<void> => {
    if (open.delete(fake)) await fake.close();
  };
  return {
    ports: [{ port: portOf(one.url) }, { port: portOf(two.url) }],
    play: (index, next) => set(both[index], next),
    closeSecond: () => closeOne(two),
    close: async () => {
      await Promise.all(both.map(closeOne));
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** The shortest answer of a gateway. */
export function answerOk(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}');
}

/** A call on a connection of its own: status and reasons, or `closed` if the connection ended without an answer. */
export function callOnce(port: number, method: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method, path, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
      resolve(summaryOf(response.statusCode, text));
    });
    request.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' ? resolve('closed') : reject(error),
    );
    request.end(method === 'GET' ? undefined : '{}');
  });
}

/** Status and reasons of an answer. */
export function summaryOf(status: number | undefined, text: string): string {
  const { status: container } = JSON.parse(text) as { status?: { errors?: { reason: string }[] } };
  return [status, ...(container?.errors ?? []).map(({ reason }) => reason)].join(' ');
}
