import { Inject, Injectable } from '@nestjs/common';
import { errors } from 'undici';
import { CONFIG, type Config } from '../config/config.module.js';
import { isLoopback } from '../config/loopback.js';
import { reachableBecause } from '../config/reachable.js';
import { SupplierError } from '../model/supplier.js';
import { StatusPoster } from '../suppliers/status-poster.js';

/** How long an attempt may take, from the lookup of the host to the headers of the response. */
export const ATTEMPT_MS = 10_000;

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

/**
 * Sends events, to endpoints that anyone with an account chooses: to public addresses only, as for suppliers; to loopback
 * addresses as `allowsLoopback` says.
 */
@Injectable()
export class WebhookSender {
  readonly #public = new StatusPoster(true);
  readonly #any = new StatusPoster(false);
  readonly #allowsLoopback: boolean;

  constructor(@Inject(CONFIG) config: Pick<Config, 'environment' | 'http'>) {
    this.#allowsLoopback = allowsLoopback(config);
  }

  /** Ends all attempts in progress as unreachable. */
  async close(): Promise<void> {
    await Promise.all([this.#public.close(), this.#any.close()]);
  }

  /** Makes one attempt. Never rejects. */
  async send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Attempt> {
    const startedAt = performance.now();
    const took = () => Math.round(performance.now() - startedAt);
    const post = { url, headers: { ...headers, 'user-agent': 'Forecourt-Webhooks' }, body, timeoutMs: ATTEMPT_MS };
    try {
      const poster = this.#allowsLoopback && isLoopback(new URL(url).hostname) ? this.#any : this.#public;
      return { status: await poster.post(post), error: null, ms: took() };
    } catch (error) {
      return { status: null, error: errorOf(error), ms: took() };
    }
  }
}

function errorOf(error: unknown): AttemptError {
  if (error instanceof SupplierError) return error.fault === 'bad_payload' ? 'invalid_response' : 'private_address';
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout';
  const isGarbage = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  return isGarbage ? 'invalid_response' : 'unreachable';
}
