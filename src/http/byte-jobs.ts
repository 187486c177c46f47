import { promisify } from 'node:util';
import { constants, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Coding } from './accepted-coding.js';

const compressZstd = promisify(zstdCompress);
const decompressZstd = promisify(zstdDecompress);
const compressGzip = promisify(gzip);

/**
 * The fastest levels: offers repeat each other, so that more work hardly makes them smaller (docs/decisions/0060-large-answers.md).
 */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GZIP = { level: 1 };

/**
 * Of libuv's four threads, three may decompress answers of suppliers (suppliers/decompress.ts), and files, DNS and password hashes
 * need them as well. One compresses about 300 MB/s with gzip and a GB/s with zstd.
 */
const MOST_RUNNING = 1;

/** Jobs that may wait. A job takes some milliseconds. */
const MOST_WAITING = 30;

/** Compresses and decompresses in libuv's threads, one job after the other. */
class ByteJobs {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves with the compressed bytes, or undefined if so many jobs wait that it is faster to send the bytes as they are. */
  async tryCompress(bytes: Buffer, coding: Coding): Promise<Buffer | undefined> {
    if (this.#waiting.length >= MOST_WAITING) return undefined;
    return this.#run(() => (coding === 'zstd' ? compressZstd(bytes, ZSTD) : compressGzip(bytes, GZIP)));
  }

  /** Resolves with the bytes compressed by zstd, when it is their turn. */
  pack(bytes: Buffer): Promise<Buffer> {
    return this.#run(() => compressZstd(bytes, ZSTD));
  }

  /** Resolves with what was packed; rejects if that has more than `mostBytes`. */
  unpack(packed: Buffer, mostBytes: number): Promise<Buffer> {
    return this.#run(() => decompressZstd(packed, { maxOutputLength: mostBytes }));
  }

  async #run<T>(job: () => Promise<T>): Promise<T> {
    if (this.#running >= MOST_RUNNING) await new Promise<void>((begin) => this.#waiting.push(begin));
    else this.#running += 1;
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

/** The jobs of this process. */
export const byteJobs = new ByteJobs();
