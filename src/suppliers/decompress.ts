import { createGunzip } from 'node:zlib';
import { TimeShares } from '../config/time-shares.js';
import { loopLag } from '../metrics/loop-lag.js';
import { SupplierError } from '../model/supplier.js';
import { CallRejectedError } from './resilience/call-rejected.js';

/** A slice of hostile input takes some milliseconds of a thread. */
const SLICE_BYTES = 65_536;
const CHUNK_BYTES = 262_144;

/** Two megabytes that say something take a tenth of it; as much input without content takes more than twice as long. */
const MOST_MS = 100;

/** How many of Node's four threads decompress answers; it also needs them for files, DNS and passwords. */
const MOST_THREADS = 3;

/** One answer that a supplier compressed. */
export interface Compressed {
  /** The id of the supplier. */
  readonly supplier: string;
  readonly body: Buffer;
  /** The most bytes that it may have when decompressed. */
  readonly mostBytes: number;
  /** Whether nothing waits for it any more. */
  isOver(): boolean;
}

/** Which slices are worked on: one of each supplier at a time, and next that of the supplier that used the least time. */
export class SliceQueue {
  readonly #suppliers = new TimeShares<(() => void)[]>(() => []);
  #running = 0;

  /** Does `work` when it is the supplier's turn. Resolves with the milliseconds that it took; rejects if `work` does. */
  async run(supplier: string, work: () => Promise<void>): Promise<number> {
    const share = this.#suppliers.of(supplier);
    share.waiting += 1;
    await new Promise<void>((begin) => {
      share.value.push(begin);
      this.#next();
    });
    const begunAt = performance.now();
    try {
      await work();
      return performance.now() - begunAt;
    } finally {
      this.#running -= 1;
      this.#suppliers.end(share, performance.now() - begunAt);
      this.#next();
    }
  }

  #next(): void {
    while (this.#running < MOST_THREADS) {
      const begin = this.#suppliers.begin(1)?.value.shift();
      if (!begin) return;
      this.#running += 1;
      begin();
    }
  }
}

const queue = new SliceQueue();

/**
 * Decompresses gzip in slices, outside this thread. Rejects with SupplierError `bad_payload` if the result is too large or takes more
 * than 100 ms, with CallRejectedError if that may be because the gateway is busy, and with an error of zlib if it isn't gzip.
 */
export async function decompress({ supplier, body, mostBytes, isOver }: Compressed): Promise<Buffer> {
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const chunks: Buffer[] = [];
  let bytes = 0;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  const ended = Promise.withResolvers<void>();
  gunzip.on('error', failed.reject);
  gunzip.on('end', ended.resolve);
  gunzip.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > mostBytes)
      gunzip.destroy(new SupplierError('bad_payload', `the decompressed answer is larger than ${mostBytes} bytes`));
    else chunks.push(chunk);
  });
  const write = (slice: Buffer): Promise<void> => new Promise((resolve) => gunzip.write(slice, () => resolve()));
  try {
    let usedMs = 0;
    // What follows the end isn't read.
    for (let at = 0; at < body.length && !gunzip.readableEnded; at += SLICE_BYTES) {
      if (isOver()) throw new SupplierError('cancelled', 'no request waits for the answer any more');
      const slice = body.subarray(at, at + SLICE_BYTES);
      usedMs += await queue.run(supplier, () => Promise.race([write(slice), ended.promise, failed.promise]));
      if (usedMs > MOST_MS) throw tooSlow();
    }
    gunzip.end();
    await Promise.race([ended.promise, failed.promise]);
    return Buffer.concat(chunks, bytes);
  } finally {
    gunzip.destroy();
  }
}

function tooSlow(): SupplierError {
  if (loopLag.isLagging)
    return new CallRejectedError('unavailable', 'the gateway had no time to decompress the answer');
  return new SupplierError('bad_payload', `the answer takes more than ${MOST_MS} ms to decompress`);
}
