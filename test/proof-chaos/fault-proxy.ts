import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Multiples of it modulo 1 are spread evenly: jitter is different for each piece and the same in each run. */
const GOLDEN = 0.618034;

/** When a piece of this many bytes goes on, if it arrives at `now` and the piece before it left at `freeAt`. */
type Timing = (bytes: number, now: number, freeAt: number) => number;
const promptly: Timing = () => 0;
const never: Timing = () => Number.POSITIVE_INFINITY;

/** One direction of a connection: passes on every byte, in order, and late if a fault says so. */
class Flow {
  #timing = promptly;
  #pieceBytes = Number.POSITIVE_INFINITY;
  #freeAt = 0;
  /** Without bytes: the end of the stream. */
  #waiting: { readonly bytes: Buffer | undefined; readonly at: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly to: Socket) {}

  /** Passes on what arrives from now on by this timing, cut into pieces of at most `pieceBytes`. */
  slow(timing: Timing, pieceBytes = Number.POSITIVE_INFINITY): void {
    this.#timing = timing;
    this.#pieceBytes = pieceBytes;
  }

  /** Passes on everything that waits, and what arrives from now on without delay. */
  release(): void {
    this.slow(promptly);
    this.#freeAt = 0;
    for (const { bytes } of this.#waiting.splice(0)) this.#deliver(bytes);
  }

  add(bytes: Buffer | undefined): void {
    const size = bytes?.length ?? 0;
    for (let from = 0; from === 0 || from < size; from += this.#pieceBytes) {
      const piece = bytes?.subarray(from, Math.min(size, from + this.#pieceBytes));
      const at = this.#timing(piece?.length ?? 0, performance.now(), this.#freeAt);
      this.#freeAt = Math.max(this.#freeAt, at);
      this.#waiting.push({ bytes: piece, at: this.#freeAt });
    }
    this.#pump();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.to.destroyed) this.#waiting = [];
    for (let next = this.#waiting[0]; next && next.at <= performance.now(); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#deliver(next.bytes);
    }
    const [next] = this.#waiting;
    if (next && Number.isFinite(next.at))
      this.#timer = setTimeout(() => this.#pump(), Math.ceil(next.at - performance.now()));
  }

  #deliver(bytes: Buffer | undefined): void {
    if (bytes === undefined) this.to.end();
    else if (this.to.writable) this.to.write(bytes);
  }
}

/** A connection of the gateway to the proxy, and that of the proxy to the server. */
export class SocketPair {
  /** From the gateway to the server, and back. */
  readonly up: Flow;
  readonly down: Flow;
  #isLost = false;

  constructor(
    private readonly gateway: Socket,
    private readonly server: Socket,
    sent: (bytes: Buffer) => void,
    closed: () => void,
  ) {
    this.up = new Flow(server);
    this.down = new Flow(gateway);
    gateway.on('data', (bytes: Buffer) => {
      sent(bytes);
      this.up.add(bytes);
    });
    gateway.on('end', () => this.up.add(undefined));
    server.on('data', (bytes: Buffer) => this.down.add(bytes));
    server.on('close', () => this.down.add(undefined));
    gateway.on('close', () => this.#isLost || server.destroy());
    for (const socket of [gateway, server]) {
      socket.on('error', () => undefined);
      socket.once('close', () => gateway.closed && server.closed && closed());
    }
  }

  /** Ends both connections with a TCP reset. */
  reset(): void {
    this.gateway.resetAndDestroy();
    this.server.resetAndDestroy();
  }

  /** Both ends believe that they are connected, and nothing ever arrives again, not even an end. */
  lose(): void {
    this.#isLost = true;
    this.up.slow(never);
    this.down.slow(never);
  }

  /** Ends the fault. What is lost stays lost; the server finds that out. */
  recover(): void {
    if (this.#isLost) this.server.destroy();
    else for (const flow of [this.up, this.down]) flow.release();
  }
}

let pieces = 0;
const both = (timing: Timing) => (pair: SocketPair) => {
  for (const flow of [pair.up, pair.down]) flow.slow(timing);
};
const downwards = (timing: Timing, pieceBytes?: number) => (pair: SocketPair) => pair.down.slow(timing, pieceBytes);

/**
 * The faults by name, each a function over a connection: it is called for every open one when the fault begins, and for
 * every new one until it ends.
 */
export const FAULTS = {
  latency: {
    does: 'every byte arrives 150 ms later, in both directions',
    play: both((_bytes, now) => now + 150),
  },
  jitter: {
    does: 'every piece arrives 0 to 200 ms later, in both directions and in order',
    play: both((_bytes, now) => now + ((++pieces * GOLDEN) % 1) * 200),
  },
  'one-way loss': {
    does: 'what the gateway sends arrives; what it should receive arrives only after the fault, because TCP sends it again',
    play: downwards(never),
  },
  reset: { does: 'every open connection is reset, and each new one', play: (pair: SocketPair) => pair.reset() },
  'half-open': {
    does: 'connections stay open and nothing arrives, in both directions; connections of that time stay so after the fault',
    play: (pair: SocketPair) => pair.lose(),
  },
  'slow drip': {
    does: 'what the gateway receives arrives byte by byte, ten per second',
    play: downwards((bytes, now, freeAt) => Math.max(now, freeAt) + bytes * 100, 1),
  },
  bandwidth: {
    does: 'each direction of a connection carries 16,000 bytes per second',
    play: both((bytes, now, freeAt) => Math.max(now, freeAt) + bytes / 16),
  },
} as const satisfies Record<string, { readonly does: string; play(pair: SocketPair): void }>;
export type FaultName = keyof typeof FAULTS;

/** A TCP proxy in front of one server, without a fault at first. */
export interface FaultProxy {
  readonly port: number;
  begin(fault: FaultName): void;
  end(): void;
  /** Calls `act` once, before the next bytes to the server that contain this text are passed on. */
  beforeSending(text: string, act: () => void): void;
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1 in front of a server on another one. */
export async function startFaultProxy(serverPort: number): Promise<FaultProxy> {
  const pairs = new Set<SocketPair>();
  let fault: FaultName | undefined;
  let watched: { readonly text: string; readonly act: () => void } | undefined;
  const sent = (bytes: Buffer): void => {
    if (watched === undefined || !bytes.includes(watched.text)) return;
    const { act } = watched;
    watched = undefined;
    act();
  };
  const listener = createServer({ allowHalfOpen: true, noDelay: true }, (gateway) => {
    const server = connect({ port: serverPort, host: '127.0.0.1', noDelay: true });
    const pair: SocketPair = new SocketPair(gateway, server, sent, () => pairs.delete(pair));
    pairs.add(pair);
    if (fault) FAULTS[fault].play(pair);
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    begin: (name) => {
      fault = name;
      for (const pair of pairs) FAULTS[name].play(pair);
    },
    end: () => {
      fault = undefined;
      for (const pair of pairs) pair.recover();
    },
    beforeSending: (text, act) => {
      watched = { text, act };
    },
    close: async () => {
      for (const pair of pairs) pair.reset();
      listener.close();
      await once(listener, 'close');
    },
  };
}
