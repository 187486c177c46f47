/** A fault for the next fitting request. */
export interface WireFault {
  readonly method: string;
  /** The path begins with this. */
  readonly path: string;
  /** Sent as X-Sandbox-Scenario. */
  readonly scenario?: string;
  /** The connection is closed after so long without an answer. */
  readonly dropAfterMs?: number;
  /** How many requests it affects; default 1. */
  readonly times?: number;
}

/** A real connection to a gateway that adds faults to requests without the client under test knowing. */
export class Wire {
  #faults: { readonly fault: WireFault; left: number }[] = [];
  /** The token that was sent last. */
  token = '';
  /** Requests that were sent. */
  sent = 0;

  constructor(readonly baseUrl: string) {}

  /** Adds a fault; of several that fit, the first one applies. */
  inject(fault: WireFault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Drops faults that no request used. */
  clear(): void {
    this.#faults = [];
  }

  readonly fetch: typeof fetch = async (input, init = {}) => {
    const { pathname } = new URL(String(input));
    this.sent += 1;
    const headers = new Headers(init.headers);
    this.token = headers.get('authorization')?.split(' ')[1] ?? this.token;
    const found = this.#faults.find(
      ({ fault, left }) => left > 0 && fault.method === (init.method ?? 'GET') && pathname.startsWith(fault.path),
    );
    if (!found) return fetch(input, init);
    found.left -= 1;
    const { scenario, dropAfterMs } = found.fault;
    if (scenario !== undefined) headers.set('x-sandbox-scenario', scenario);
    const signals = [init.signal, dropAfterMs === undefined ? null : AbortSignal.timeout(dropAfterMs)];
    const signal = AbortSignal.any(signals.filter((one) => one instanceof AbortSignal));
    return fetch(input, { ...init, headers, signal });
  };
}
