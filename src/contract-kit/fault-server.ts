import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A call of the adapter as it arrived, body whole. `url` is path and query. */
export interface ReceivedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A whole HTTP answer. */
export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** One call under way at the kit's server. */
export interface Exchange {
  /** 1 for the first call since `play`. */
  readonly step: number;
  readonly call: ReceivedCall;
  /** The raw connection, for what no HTTP server would do. */
  readonly socket: Socket;
  /** Has the supplier do it and takes its answer; with `directive` as the simulator is told. Undefined when the supplier broke the connection. */
  forward(directive?: string): Promise<WholeAnswer | undefined>;
  /** Answers properly; Content-Length is set unless `headers` has one. */
  answer(answer: WholeAnswer): void;
}

/** What the server does with a call. One that answers nothing leaves the connection open. */
export type Play = (exchange: Exchange) => Promise<void> | void;

/** A server between the adapter and its supplier that plays whatever a case wants, on real sockets. */
export interface FaultServer {
  readonly url: string;
  /** Takes effect with the next call; counts calls, sockets and steps anew. */
  play(play: Play): void;
  /** Calls since `play`, oldest first. */
  readonly calls: readonly ReceivedCall[];
  /** All calls ever. */
  readonly history: readonly ReceivedCall[];
  /** The most connections that were open at once since `play`. */
  most(): number;
  /** Resolves when every connection that brought a call since `play` is closed; false when one is still open after `withinMs`. */
  calledOff(withinMs: number): Promise<boolean>;
  /** The same for all connections. */
  drained(withinMs: number): Promise<boolean>;
  close(): Promise<void>;
}

/** Lets the supplier answer. */
export const pass: Play = async (exchange) => {
  const answer = await exchange.forward();
  if (answer) exchange.answer(answer);
  else exchange.socket.resetAndDestroy();
};

/** Starts one on a free port of 127.0.0.1 before the supplier at `target` (its base URL). Until told otherwise it passes everything on. */
export async function startFaultServer(target: string): Promise<FaultServer> {
  const sockets = new Set<Socket>();
  const history: ReceivedCall[] = [];
  let current: Play = pass;
  let calls: ReceivedCall[] = [];
  let used = new Set<Socket>();
  let most = 0;
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
    most = Math.max(most, sockets.size);
    // A caller that hangs up is what many cases are about.
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
      most = sockets.size;
    },
    get calls() {
      return calls;
    },
    history,
    most: () => most,
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

/** Undefined when the caller left in the middle. */
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

/** On a connection of its own, so that the kit keeps none open that a case could take for the adapter's. */
function forward(
  target: string,
  call: ReceivedCall,
  body: Buffer,
  directive: string | undefined,
): Promise<WholeAnswer | undefined> {
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
    // The supplier broke the connection: an answer of the play, too.
    onward.once('error', () => resolve(undefined));
    onward.end(body);
  });
}
