import { Inject, Injectable } from '@nestjs/common';
import { Agent, type buildConnector, type Dispatcher, errors } from 'undici';
import { CONFIG, type Config } from '../config/config.module.js';
import { isLoopback } from '../config/loopback.js';
import { reachableBecause } from '../config/reachable.js';
import { SupplierError } from '../model/supplier.js';
import { limitRawBytes } from '../suppliers/raw-limit.js';
import { guardedConnector, openConnector } from '../suppliers/resilience/address-guard.js';
import { sliceTls } from '../suppliers/tls-slices.js';

/** How long an attempt may take, from the lookup of the host to the headers of the response. */
export const ATTEMPT_MS = 10_000;
/** Read of a response, only so that its connection can be used again. Nothing of it is kept. */
const MOST_BODY_BYTES = 4_096;
const BODY_MS = 1_000;
/** Informational responses (1xx) before the response: endpoints need none. */
const MOST_INFORMATIONAL = 5;
/** As many connections per origin as there are attempts, so that no endpoint waits for another one at its origin. */
const LIMITS = { pipelining: 1, connections: null, keepAliveTimeout: 4_000, keepAliveMaxTimeout: 30_000 };

/** How an attempt ended: with a status, or with an error of ATTEMPT_ERRORS. */
export interface Attempt {
  /** Null = no response. */
  readonly status: number | null;
  /** Null = there was a response. */
  readonly error: AttemptError | null;
  readonly ms: number;
}

/** Why there was no response, with what it means. */
export const ATTEMPT_ERRORS = {
  timeout: 'no response within 10 seconds',
  private_address: 'the host has no public address',
  invalid_response: 'the response is not HTTP, its headers are too large, or its TLS connection carries too much else',
  unreachable: 'the host is unknown, refuses connections or closes them',
  not_signed: 'the gateway could not read the signing secret',
} as const;

export type AttemptError = keyof typeof ATTEMPT_ERRORS;

/** Whether this gateway may send to loopback addresses: only in a sandbox that no one on another machine can use. */
export function allowsLoopback(config: Pick<Config, 'environment' | 'http'>): boolean {
  return config.environment === 'sandbox' && reachableBecause(config).length === 0;
}

/** Limits what an endpoint sends as for suppliers (docs/security.md#suppliers): anyone with an account chooses an endpoint. */
function limited(connect: buildConnector.connector): buildConnector.connector {
  return limitRawBytes(sliceTls(connect), MOST_BODY_BYTES);
}

/**
 * Sends events over HTTP/1.1. Follows no redirects, and connects to public addresses only, as for suppliers; to loopback
 * addresses as `allowsLoopback` says.
 */
@Injectable()
export class WebhookSender {
  readonly #public = new Agent({ ...LIMITS, connect: limited(guardedConnector()) });
  readonly #any = new Agent({ ...LIMITS, connect: limited(openConnector()) });
  readonly #allowsLoopback: boolean;

  constructor(@Inject(CONFIG) config: Pick<Config, 'environment' | 'http'>) {
    this.#allowsLoopback = allowsLoopback(config);
  }

  /** Ends all attempts in progress as unreachable. */
  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#any.destroy()]);
  }

  /** Makes one attempt. Never rejects. */
  async send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Attempt> {
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    try {
      const { status, response } = await this.#ask(url, headers, body);
      void response.dump({ limit: MOST_BODY_BYTES, signal: AbortSignal.timeout(BODY_MS) }).catch(() => undefined);
      return { status, error: null, ms: took() };
    } catch (error) {
      return { status: null, error: errorOf(error), ms: took() };
    }
  }

  async #ask(url: string, headers: Readonly<Record<string, string>>, body: string) {
    const { origin, pathname, search, hostname } = new URL(url);
    const agent = this.#allowsLoopback && isLoopback(hostname) ? this.#any : this.#public;
    const excess = new AbortController();
    let informational = 0;
    const options: Dispatcher.RequestOptions = {
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Forecourt-Webhooks' },
      body,
      signal: AbortSignal.any([AbortSignal.timeout(ATTEMPT_MS), excess.signal]),
      onInfo: () => {
        informational += 1;
        if (informational > MOST_INFORMATIONAL)
          excess.abort(new SupplierError('bad_payload', 'too many responses (1xx)'));
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    const { statusCode, body: response } = await agent.request(options);
    return { status: statusCode, response };
  }
}

function errorOf(error: unknown): AttemptError {
  if (error instanceof SupplierError) return error.fault === 'bad_payload' ? 'invalid_response' : 'private_address';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const isGarbage = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return isGarbage ? 'invalid_response' : 'unreachable';
}
