import { gunzipSync, gzipSync } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import type { Exchange } from '../metrics/request-trace.js';
import { noteCertificate } from '../metrics/supplier-certificates.js';
import { SupplierError, type SupplierHttpAnswer, type SupplierHttpCall } from '../model/supplier.js';
import { decompress } from './decompress.js';
import { limitRawBytes } from './raw-limit.js';
import { guardedConnector, openConnector } from './resilience/address-guard.js';
import { sliceTls } from './tls-slices.js';

/** Compressed bodies up to this size are decompressed in this thread: at most a few milliseconds, even if hostile. */
const INLINE_GZIP_BYTES = 16_384;
/** The names of the coding (RFC 9110 §8.4.1). */
const GZIP = /^\s*(?:x-)?gzip\s*$/i;

/** The fewest bytes per chunk, on average, of a body in many chunks: each chunk costs time and memory, however small. */
const CHUNK_BYTES = 64;
const MANY_CHUNKS = 2_000;

/** undici's error for headers or trailers of more than 16 KB. */
const TOO_MANY_HEADERS = 'UND_ERR_HEADERS_OVERFLOW';

/** Informational responses (1xx) before the answer: suppliers need none or one. */
const MOST_INFORMATIONAL = 5;

/** Lets the owner of a call control and observe it. */
export interface CallHandle {
  /** Set by the client: closes the socket and rejects the call with `error`. */
  abort?: (error: SupplierError) => void;
  /** Called when the call has a connection and starts sending. */
  readonly started?: () => void;
  /** Receives the timestamps of the call. */
  readonly exchange?: Exchange;
  /** The latest time to start sending (performance.now). A connection that becomes free later isn't used. */
  readonly notAfterMs?: number | undefined;
}

/**
 * HTTP/1.1 client for one supplier. Each supplier has its own pool, so that a hanging supplier can't block the others.
 * Uses undici's `dispatch`, which needs no stream and no AbortSignal per call; callers enforce their deadlines through
 * the handle.
 */
export class SupplierHttpClient {
  readonly #pool: Pool;
  readonly #basePath: string;

  /** `publicOnly` prevents connections to private networks (resilience/address-guard.ts). `supplier` is its id. */
  constructor(
    url: string,
    connections: number,
    private readonly maxAnswerBytes: number,
    publicOnly = false,
    private readonly supplier = url,
  ) {
    const { origin, pathname } = new URL(url);
    const limits = {
      connections,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 30_000,
    };
    const connect = publicOnly ? guardedConnector() : openConnector();
    const secured = sliceTls(connect, (validTo) => noteCertificate(supplier, validTo));
    this.#pool = new Pool(origin, { ...limits, connect: limitRawBytes(secured, maxAnswerBytes) });
    this.#basePath = pathname.replace(/\/$/, '');
  }

  /**
   * Resolves with any HTTP response. Rejects with SupplierError: `unavailable`, `bad_payload` for an answer over the size
   * limit or in too many small chunks, `timeout` after `notAfterMs`, or the error passed to `abort`.
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
      let informational = 0;
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
            // Nothing has been sent: throwing returns the connection to the pool, while aborting would close it.
            if (aborted) throw aborted;
            if (handle.notAfterMs !== undefined && performance.now() > handle.notAfterMs)
              throw new SupplierError('timeout', 'no connection in time', false);
            controller = current;
            started = true;
            if (exchange) exchange.sentAt = performance.now();
            handle.started?.();
          },
          onResponseStart: (_controller, code, received) => {
            if (code < 200) {
              informational += 1;
              if (informational > MOST_INFORMATIONAL)
                abort(new SupplierError('bad_payload', `more than ${MOST_INFORMATIONAL} informational responses`));
              return;
            }
            if (exchange) exchange.firstByteAt = performance.now();
            status = code;
            answerHeaders = received;
          },
          onResponseData: (_controller, chunk) => {
            bytes += chunk.length;
            if (bytes > this.maxAnswerBytes)
              abort(new SupplierError('bad_payload', `the answer is larger than ${this.maxAnswerBytes} bytes`));
            else if (chunks.push(chunk) > MANY_CHUNKS && bytes < chunks.length * CHUNK_BYTES)
              abort(new SupplierError('bad_payload', `the answer has chunks of less than ${CHUNK_BYTES} bytes`));
          },
          onResponseEnd: () => {
            if (exchange) exchange.endedAt = performance.now();
            if (aborted) return;
            const isOver = (): boolean => aborted !== undefined;
            this.#decode(chunks, bytes, answerHeaders['content-encoding'], isOver).then(
              (body) => resolve({ status, headers: answerHeaders, body }),
              (error: unknown) =>
                reject(
                  error instanceof SupplierError
                    ? error
                    : new SupplierError('bad_payload', 'the answer cannot be decompressed', true, { cause: error }),
                ),
            );
          },
          onResponseError: (_controller, error) => {
            const own = error instanceof SupplierError ? error : undefined;
            const fault = 'code' in error && error.code === TOO_MANY_HEADERS ? 'bad_payload' : 'unavailable';
            reject(aborted ?? own ?? new SupplierError(fault, error.message, started, { cause: error }));
          },
        },
      );
    });
  }

  /** Closes all sockets; calls in flight reject. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #decode(
    chunks: Buffer[],
    bytes: number,
    encoding: string | string[] | undefined,
    isOver: () => boolean,
  ): Promise<Buffer> {
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes);
    // Also the answer to a cancellation, which has no body, may name a coding.
    if (bytes === 0 || !GZIP.test(String(encoding))) return body;
    const { supplier, maxAnswerBytes: mostBytes } = this;
    if (body.length <= INLINE_GZIP_BYTES) return gunzipSync(body, { maxOutputLength: mostBytes });
    return decompress({ supplier, body, mostBytes, isOver });
  }
}
