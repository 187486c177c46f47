import type { ExchangeRateSettings } from '../config/exchange-rate-settings.js';
import { isLoopback } from '../config/loopback.js';
import { SupplierError } from '../model/supplier.js';
import { type CallHandle, SupplierHttpClient } from '../suppliers/http-client.js';

/** The ECB's document has 2 KB. */
const MOST_BYTES = 65_536;

/** Reads exchange rates over HTTP with the client of suppliers: no redirects, no private addresses, bounded size. */
export class RateUrl {
  readonly #client: SupplierHttpClient;
  readonly #path: string;
  /** For the log: a path may hold a key. */
  readonly host: string;

  /** Loopback addresses are allowed in the sandbox only. */
  constructor(
    url: string,
    private readonly settings: Pick<ExchangeRateSettings, 'allowPrivateNetwork' | 'timeoutMs'>,
    environment: 'sandbox' | 'production',
  ) {
    const { origin, host, hostname, pathname, search } = new URL(url);
    const isOwn = settings.allowPrivateNetwork || (environment === 'sandbox' && isLoopback(hostname));
    this.#client = new SupplierHttpClient(origin, 1, MOST_BYTES, !isOwn, 'exchange rates');
    this.#path = `${pathname}${search}`;
    this.host = host;
  }

  /** The document. Rejects with SupplierError if it can't be read in time or is too large, or for a status other than 200. */
  async read(): Promise<string> {
    const handle: CallHandle = {};
    const { timeoutMs } = this.settings;
    const sent = this.#client.send({ method: 'GET', path: this.#path }, { accept: 'application/xml' }, handle);
    const timer = setTimeout(
      () => handle.abort?.(new SupplierError('timeout', `no answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    try {
      const { status, body } = await sent;
      if (status !== 200) throw new SupplierError('unavailable', `HTTP status ${status}`);
      return body.toString('utf8');
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the connection; a call in flight rejects. */
  close(): Promise<void> {
    return this.#client.close();
  }
}
