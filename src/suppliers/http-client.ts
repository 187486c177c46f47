import { gunzipSync, gzipSync } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import type { Exchange } from '../metrics/request-trace.js';
import { SupplierError, type SupplierHttpAnswer, type SupplierHttpCall } from '../model/supplier.js';
import { guardedConnector } from './resilience/address-guard.js';
import { isUnboundedJson } from './resilience/json-bounds.js';

/**
 * Lets the owner of a call end it: `abort` closes the socket and rejects the call with `error`. `started`, set by the owner, is told when the
 * call has a connection and begins to leave.
 */
export interface CallHandle {
  abort?: (error: SupplierError) => void;
  readonly started?: () => void;
  /** Gets the instants of the call as they come. */
  readonly exchange?: Exchange;
  /** After this instant (performance.now) the call does not begin any more: a connection that comes too late is given back. */
  readonly notAfterMs?: number | undefined;
}

/**
 * HTTP/1.1 to one supplier over a pool of its own (one shared pool loses every answer under a hanging supplier). Built on undici's
 * `dispatch`: no stream and no AbortSignal for each call; deadlines are the caller's, through the handle.
 */
export class SupplierHttpClient {
  readonly #pool: Pool;
  readonly #basePath: string;

  /** `publicOnly`: it does not connect to an address of a private network (resilience/address-guard.ts). */
  constructor(
    url: string,
    connections: number,
    private readonly maxAnswerBytes: number,
    publicOnly = false,
  ) {
    const { origin, pathname } = new URL(url);
    const limits = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 };
    this.#pool = new Pool(origin, publicOnly ? { ...limits, connect: guardedConnector() } : limits);
    this.#basePath = pathname.replace(/\/$/, '');
  }

  /**
   * Resolves with any HTTP answer; rejects with SupplierError (unavailable, bad_payload for a body over the cap or for JSON of no sensible depth, or
   * what `abort` was given).
   */
  send(call: SupplierHttpCall, headers: Record<string, string>, handle: CallHandle): Promise<SupplierHttpAnswer> {
    const { exchange } = handle;
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined;
      let aborted: SupplierError | undefined;
      let started = false;
      let status = 0;
      let answerHeaders: SupplierHttpAnswer['headers'] = {};
      let bytes = 0;
      const chunks: Buffer[] = [];
      const abort = (error: SupplierError): void => {
        if (aborted) return;
        aborted = error;
        controller?.abort(error);
        reject(error);
      };
      handle.abort = (error) => abort(started ? error : new SupplierError(error.fault, error.message, false));
      const packed = call.gzip && call.body !== undefined ? gzipSync(call.body) : undefined;
      this.#pool.dispatch(
        {
          method: call.method,
          path: this.#basePath + call.path,
          headers: packed ? { ...headers, 'content-encoding': 'gzip' } : headers,
          body: packed ?? call.body ?? null,
        },
        {
          onRequestStart: (current) => {
            // Nothing was sent yet: throwing here gives the connection back, aborting would close it.
            if (aborted) throw aborted;
            if (handle.notAfterMs !== undefined && performance.now() > handle.notAfterMs)
              throw new SupplierError('timeout', 'no connection in time', false);
            controller = current;
            started = true;
            if (exchange) exchange.sentAt = performance.now();
            handle.started?.();
          },
          onResponseStart: (_controller, code, received) => {
            if (exchange) exchange.firstByteAt = performance.now();
            status = code;
            answerHeaders = received;
          },
          onResponseData: (_controller, chunk) => {
            bytes += chunk.length;
            if (bytes > this.maxAnswerBytes)
              abort(new SupplierError('bad_payload', `the answer is larger than ${this.maxAnswerBytes} bytes`));
            else chunks.push(chunk);
          },
          onResponseEnd: () => {
            if (exchange) exchange.endedAt = performance.now();
            try {
              const body = this.#decode(chunks, bytes, answerHeaders['content-encoding']);
              if (isUnboundedJson(body))
                reject(new SupplierError('bad_payload', 'JSON that is nested too deep or has too many parts'));
              else resolve({ status, headers: answerHeaders, body });
            } catch (error) {
              reject(new SupplierError('bad_payload', 'the answer cannot be decompressed', true, { cause: error }));
            }
          },
          onResponseError: (_controller, error) => {
            const own = error instanceof SupplierError ? error : undefined;
            reject(aborted ?? own ?? new SupplierError('unavailable', error.message, started, { cause: error }));
          },
        },
      );
    });
  }

  /** Ends all sockets; calls under way reject. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #decode(chunks: Buffer[], bytes: number, encoding: string | string[] | undefined): Buffer {
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes);
    return encoding === 'gzip' ? gunzipSync(body, { maxOutputLength: this.maxAnswerBytes }) : body;
  }
}
