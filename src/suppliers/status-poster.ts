import { Agent, type Dispatcher } from 'undici';
import { SupplierError } from '../model/supplier.js';
import { limitRawBytes } from './raw-limit.js';
import { guardedConnector, openConnector } from './resilience/address-guard.js';
import { sliceTls } from './tls-slices.js';

/** Read of a response, only so that its connection can be used again. Nothing of it is kept. */
const MOST_BODY_BYTES = 4_096;
const BODY_MS = 1_000;
/** Informational responses (1xx) before the response: receivers need none. */
const MOST_INFORMATIONAL = 5;
/** As many connections per origin as there are posts, so that none waits for another one at its origin. */
const LIMITS = { pipelining: 1, connections: null, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 };

/** Where to post, and what. */
export interface Post {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** From the lookup of the host to the headers of the response. */
  readonly timeoutMs: number;
}

/**
 * Posts over HTTP/1.1 to receivers of which only the status of the response matters. Limits what they send as for suppliers
 * (docs/security-system.md#suppliers), and follows no redirects.
 */
export class StatusPoster {
  readonly #agent: Agent;

  /** `publicOnly` prevents connections to private networks (resilience/address-guard.ts). */
  constructor(publicOnly: boolean) {
    const connect = publicOnly ? guardedConnector() : openConnector();
    this.#agent = new Agent({ ...LIMITS, connect: limitRawBytes(sliceTls(connect), MOST_BODY_BYTES) });
  }

  /**
   * Resolves with the status. Rejects with SupplierError (`bad_payload` for a response beyond the limits, `unavailable` for a host
   * without a public address), a TimeoutError, or the error of undici.
   */
  async post({ url, headers, body, timeoutMs }: Post): Promise<number> {
    const { origin, pathname, search } = new URL(url);
    const excess = new AbortController();
    let informational = 0;
    const options: Dispatcher.RequestOptions = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), excess.signal]),
      onInfo: () => {
        informational += 1;
        if (informational > MOST_INFORMATIONAL)
          excess.abort(new SupplierError('bad_payload', 'too many responses (1xx)'));
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const { statusCode, body: response } = await this.#agent.request(options);
    void response.dump({ limit: MOST_BODY_BYTES, signal: AbortSignal.timeout(BODY_MS) }).catch(() => undefined);
    return statusCode;
  }

  /** Ends all posts in progress. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
