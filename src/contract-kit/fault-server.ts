import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A call of the adapter as it arrived, with its complete body. `url` is path and query. */
export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A complete HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** One call in progress at the kit's server. */
export interface Exchange {
  /** 1 for the first call since `play`. */
  readonly step: number;
  readonly call: ReceivedCall;
  /** The raw connection, for behavior that no HTTP server has. */
  readonly socket: Socket;
  /**
   * Forwards the call to the supplier and returns its answer; `directive` is for the simulator. Undefined if the
   * supplier broke the connection.
   */
  forward(directive?: string): Promise<HttpAnswer | undefined>;
  /** Sends a valid HTTP answer; sets Content-Length unless `headers` has it. */
  answer(answer: HttpAnswer): void;
}

/** What the server does with a call. A play that does not answer leaves the connection open. */
export type Play = (exchange: Exchange) => Promise<void> | void;

/** A server between the adapter and its supplier that simulates any failure on real sockets. */
export interface FaultServer {
  readonly url: string;
  /** Takes effect with the next call; resets the counts of calls, sockets and steps. */
  play(play: Play): void;
  /** Calls since `play`, oldest first. */
  readonly calls: readonly ReceivedCall[];
  /** All calls since the server started. */
  readonly history: readonly ReceivedCall[];
  /** The most connections open at the same time since `play`. */
  peakConnections(): number;
  /**
   * Resolves to true when all connections used by calls since `play` are closed, to false if one is still open after
   * `withinMs`.
   */
  calledOff(withinMs: number): Promise<boolean>;
  /** The same for all connections. */
  drained(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Forwards the call to the supplier and returns its answer. */
export const pass: Play = async (exchange) => {
  const answer = await exchange.forward();
  if (answer) exchange.answer(answer);
  else exchange.socket.resetAndDestroy();
};

/**
 * Starts a server on a free port of 127.0.0.1 in front of the supplier at `target` (its base URL). It forwards every
 * call until `play`.
 */
export async function startFaultServer(target: string): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const history: ReceivedCall[] = [];
  let current: Play = pass;
  let calls: ReceivedCall[] = [];
  let used = new Set<Socket>();
  let peak = 0;
  let step = 0;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (body === undefined) return;
    const { method = 'GET', url = '/', headers, socket } = request;
    const call: ReceivedCall = { method, url, headers, body: body.toString('utf8') };
    calls.push(call);
    history.push(call);
    used.add(socket);
    step += 1;
    await current({
      step,
      call,
      socket,
      forward: (directive) => forward(target, call, body, directive),
      answer: (answer) => {
        response.writeHead(answer.status, { 'content-length': answer.body.length, ...answer.headers }).end(answer.body);
      },
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    peak = Math.max(peak, sockets.size);
    // Many cases are about a client that disconnects.
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    play: (play) => {
      current = play;
      calls = [];
      used = new Set();
      step = 0;
      peak = sockets.size;
    },
    get calls() {
      return calls;
    },
    history,
    peakConnections: () => peak,
    calledOff: (withinMs) => allClosed(used, withinMs),
    drained: (withinMs) => allClosed(sockets, withinMs),
    close: async () => {
      server.closeAllConnections();
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function allClosed(sockets: ReadonlySet<Socket>, withinMs: number): Promise<boolean> {
  const closing = [...sockets]
    .filter((socket) => !socket.closed)
    .map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  const late = new AbortController();
  const all = Promise.all(closing).then(() => true);
  const closed = await Promise.race([all, wait(withinMs, false, { signal: late.signal }).catch(() => false)]);
  late.abort();
  return closed;
}

/** The body; undefined if the sender disconnected before its end. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch (error) {
    if (request.complete) throw error;
    return undefined;
  }
  return Buffer.concat(chunks);
}

/**
 * Uses a separate connection, so that a case cannot mistake a kept-alive connection of the kit for one of the adapter.
 */
function forward(
  target: string,
  call: ReceivedCall,
  body: Buffer,
  directive: string | undefined,
): Promise<HttpAnswer | undefined> {
  const { host: _host, connection: _connection, ...headers } = call.headers;
  return new Promise((resolve) => {
    const onward = httpRequest(
      target.replace(/\/$/, '') + call.url,
      {
        method: call.method,
        agent: false,
        headers: { ...headers, ...(directive === undefined ? {} : { 'x-sim-directive': directive }) },
      },
      async (answer) => {
        const answered = await bodyOf(answer);
        const { 'transfer-encoding': _encoding, connection: _kept, 'keep-alive': _alive, ...kept } = answer.headers;
        resolve(answered && { status: answer.statusCode ?? 502, headers: kept, body: answered });
      },
    );
    // The supplier broke the connection, which a case may want.
    onward.once('error', () => resolve(undefined));
    onward.end(body);
  });
}
