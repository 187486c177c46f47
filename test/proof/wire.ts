import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';

/**
 * What happens to one booking on the wire. twice: its request is delivered again. late: its request is delivered only
 * then, and its answer is lost. hidden: its answer is lost, and the supplier denies it for so long.
 */
export type WireFault =
  | { readonly kind: 'twice'; readonly afterMs: number }
  | { readonly kind: 'late'; readonly afterMs: number }
  | { readonly kind: 'hidden'; readonly forMs: number };

/** Bookings carry the number of their intent in the renter's address; changed addresses have another form. */
const INTENT = /ada\.(\d+)@example\.com/;
const REFERENCE = /res_\w{20}/;
/** Renters of hidden bookings: suppliers that find bookings by name deny them as well. */
const UNSEEN = /Unseen[a-z]+/i;
const HOLD = /"holdId":"(\w+)"/;
const NOBODY = 'Nobody';
const NO_REFERENCE = `res_${'0'.repeat(20)}`;

/** A complete request, to be delivered any number of times. */
interface Letter {
  readonly target: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The wire between the gateways and their suppliers: one listener per supplier that forwards complete requests. */
export class Wire {
  readonly #servers: Server[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  /** Faults of dune's confirmations by the id of their hold. */
  readonly #holds = new Map<string, { readonly fault: WireFault; readonly text: string }>();
  /** Until when references and renters are denied, in milliseconds of performance.now. */
  readonly #hidden = new Map<string, number>();
  readonly #played = new Set<number>();
  readonly #later = new Set<Promise<void>>();
  #faultOf: (intent: number) => WireFault | undefined = () => undefined;
  /** Requests that were played, by kind. */
  readonly count = { twice: 0, late: 0, hidden: 0, denied: 0 };

  /** From now on, these bookings have these faults, each one once. */
  play(faultOf: (intent: number) => WireFault | undefined): void {
    this.#played.clear();
    this.#faultOf = faultOf;
  }

  /** Listens for the supplier at `target`, and resolves with the URL for the gateways. */
  async connect(target: string): Promise<string> {
    const server = createServer((request, response) => {
      void this.#pass(target, request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    this.#servers.push(server);
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  }

  /** Resolves when everything late is delivered. */
  async idle(): Promise<void> {
    await Promise.all(this.#later);
  }

  close(): void {
    for (const server of this.#servers) {
      server.closeAllConnections();
      server.close();
    }
    this.#agent.destroy();
  }

  async #pass(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    // The gateway disconnected in the middle of its request.
    if (!body) return;
    const { method = 'GET', url: path = '/', headers } = request;
    const letter = { target, method, path, headers, body };
    const fault = this.#take(letter);
    if (!fault) return this.#forward(this.#denied(letter), response, method === 'POST' && path === '/v1/holds');
    this.count[fault.kind] += 1;
    if (fault.kind === 'late') return this.#deliverLater(letter, fault.afterMs);
    if (fault.kind === 'hidden') return void this.#deliver(letter).then(() => request.socket.resetAndDestroy());
    this.#deliverLater(letter, fault.afterMs);
    this.#forward(letter, response, false);
  }

  /** The fault of a booking request; undefined = none, or another request. */
  #take({ method, path, body }: Letter): WireFault | undefined {
    if (method !== 'POST') return undefined;
    const hold = /^\/v1\/holds\/(\w+)\/confirm$/.exec(path)?.[1];
    if (hold !== undefined) {
      const held = this.#holds.get(hold);
      this.#holds.delete(hold);
      return held && this.#begun(held.fault, held.text);
    }
    const text = body.toString('utf8');
    const intent = /VehModify/.test(text) ? undefined : INTENT.exec(text)?.[1];
    const fault = intent === undefined || this.#played.has(Number(intent)) ? undefined : this.#faultOf(Number(intent));
    if (!fault || path === '/v1/holds') return undefined;
    this.#played.add(Number(intent));
    return this.#begun(fault, text);
  }

  #begun(fault: WireFault, text: string): WireFault {
    if (fault.kind === 'hidden') {
      for (const name of [REFERENCE, UNSEEN].flatMap((form) => form.exec(text)?.[0] ?? []))
        this.#hidden.set(name.toLowerCase(), performance.now() + fault.forMs);
    }
    return fault;
  }

  /** A question about a hidden booking asks for another one instead, which the supplier does not have. */
  #denied(letter: Letter): Letter {
    const text = letter.body.toString('utf8');
    const isHidden = (name: string | undefined): boolean =>
      name !== undefined && (this.#hidden.get(name.toLowerCase()) ?? 0) > performance.now();
    const all = `${letter.path} ${text}`;
    if (!isHidden(REFERENCE.exec(all)?.[0]) && !isHidden(UNSEEN.exec(all)?.[0])) return letter;
    this.count.denied += 1;
    const other = (from: string): string =>
      from.replaceAll(new RegExp(REFERENCE, 'g'), NO_REFERENCE).replaceAll(new RegExp(UNSEEN, 'gi'), NOBODY);
    return { ...letter, path: other(letter.path), body: Buffer.from(other(text)) };
  }

  #forward(letter: Letter, response: ServerResponse, isHold: boolean): void {
    const sent = this.#send(letter, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (isHold) this.#noteHold(letter, answer);
      answer.pipe(response);
      // If the supplier breaks the connection, the gateway's connection breaks as well.
      answer.once('error', () => response.destroy());
      answer.once('aborted', () => response.destroy());
    });
    sent.once('error', () => response.socket?.resetAndDestroy());
  }

  #noteHold({ body }: Letter, answer: IncomingMessage): void {
    const text = body.toString('utf8');
    const fault = this.#faultOf(Number(INTENT.exec(text)?.[1] ?? Number.NaN));
    if (!fault) return;
    let told = '';
    answer.on('data', (chunk: Buffer) => {
      told += chunk.toString('utf8');
      const hold = HOLD.exec(told)?.[1];
      if (hold !== undefined) this.#holds.set(hold, { fault, text });
    });
  }

  #deliverLater(letter: Letter, afterMs: number): void {
    const delivery = new Promise((resolve) => setTimeout(resolve, afterMs))
      .then(() => this.#deliver(letter))
      .finally(() => this.#later.delete(delivery));
    this.#later.add(delivery);
  }

  /** Delivers a request and discards its answer; resolves when it is answered or the connection ends. */
  #deliver(letter: Letter): Promise<void> {
    return new Promise((resolve) => {
      const sent = this.#send(letter, (answer) => answer.resume().once('close', resolve));
      sent.once('error', () => resolve());
      sent.once('close', () => resolve());
    });
  }

  #send({ target, method, path, headers, body }: Letter, answered: (answer: IncomingMessage) => void) {
    const { 'transfer-encoding': _chunked, connection: _own, ...rest } = headers;
    const sent = httpRequest(
      new URL(path, target),
      { method, headers: { ...rest, 'content-length': body.length }, agent: this.#agent, timeout: 20_000 },
      answered,
    );
    sent.on('timeout', () => sent.destroy());
    sent.end(body);
    return sent;
  }
}

/** Undefined = the connection broke before the request was complete. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return request.complete ? Buffer.concat(chunks) : undefined;
}
