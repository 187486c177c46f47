import { promisify } from 'node:util';
import { constants, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { FairQueue } from '../config/fair-queue.js';
import type { Coding } from './accepted-coding.js';
import { formOf } from './shared-bytes.js';

const compressZstd = promisify(zstdCompress);
const decompressZstd = promisify(zstdDecompress);
const compressGzip = promisify(gzip);

/**
 * The fastest levels: offers repeat each other, so that more work hardly makes them smaller (docs/decisions/0060-large-answers.md).
 */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const GZIP = { level: 1 };

/**
 * Three of libuv's four threads may decompress answers of suppliers (suppliers/decompress.ts), and files, DNS and password hashes
 * need them as well. One compresses about 300 MB/s with gzip and a GB/s with zstd.
 */
const MOST_RUNNING = 1;

/** Answers that may wait to be compressed, which takes some milliseconds each. */
const MOST_WAITING = 30;

/** After this many jobs that are needed, an answer is compressed, so that a flood of searches with pages doesn't stop that. */
const NEEDED_PER_ANSWER = 10;

/** Documents that many responses share are compressed for none of their callers. */
const DOCUMENTS = '';

/** What the jobs do, outside this thread. */
export interface Codec {
  compress(bytes: Buffer, coding: Coding): Promise<Buffer>;
  /** Reads zstd. Rejects if there are more than `mostBytes`. */
  decompress(packed: Buffer, mostBytes: number): Promise<Buffer>;
}

const LIBUV: Codec = {
  compress: (bytes, coding) => (coding === 'zstd' ? compressZstd(bytes, ZSTD) : compressGzip(bytes, GZIP)),
  decompress: (packed, maxOutputLength) => decompressZstd(packed, { maxOutputLength }),
};

/** Ends the wait of a job: whether it may begin. */
type Admit = (mayBegin: boolean) => void;

/**
 * Compresses and decompresses in libuv's threads, one job after the other. Jobs without which there is no answer go before
 * those that make one shorter; of each kind, callers are served in rotation. A caller is an account, or the network of
 * someone who has none.
 */
export class ByteJobs {
  readonly #needed = new FairQueue<Admit>(Number.POSITIVE_INFINITY);
  readonly #answers = new FairQueue<Admit>(MOST_WAITING);
  #running = 0;
  /** Needed jobs that began since an answer was last compressed. */
  #neededBegun = 0;

  constructor(private readonly codec: Codec = LIBUV) {}

  /**
   * Resolves with the compressed bytes of an answer, or undefined if so many wait that it is faster to send them as they are: then
   * the newest of the caller with the most is. Shared bytes are compressed once per coding.
   */
  tryCompress(caller: string, bytes: Buffer, coding: Coding): Promise<Buffer | undefined> {
    return formOf(bytes, coding, (isShared) => this.#tryCompress(isShared ? DOCUMENTS : caller, bytes, coding));
  }

  /** Resolves with the bytes compressed by zstd, when it is their turn. */
  async pack(caller: string, bytes: Buffer): Promise<Buffer> {
    await this.#turn(this.#needed, caller);
    return this.#run(() => this.codec.compress(bytes, 'zstd'));
  }

  /** Resolves with what was packed; rejects if that has more than `mostBytes`. */
  async unpack(caller: string, packed: Buffer, mostBytes: number): Promise<Buffer> {
    await this.#turn(this.#needed, caller);
    return this.#run(() => this.codec.decompress(packed, mostBytes));
  }

  async #tryCompress(caller: string, bytes: Buffer, coding: Coding): Promise<Buffer | undefined> {
    if (!(await this.#turn(this.#answers, caller))) return undefined;
    return this.#run(() => this.codec.compress(bytes, coding));
  }

  #turn(queue: FairQueue<Admit>, caller: string): boolean | Promise<boolean> {
    if (this.#running >= MOST_RUNNING) return new Promise((admit) => queue.push(caller, admit)?.(false));
    this.#running += 1;
    return true;
  }

  async #run<T>(job: () => Promise<T>): Promise<T> {
    try {
      return await job();
    } finally {
      const next = this.#next();
      if (next) next(true);
      else this.#running -= 1;
    }
  }

  #next(): Admit | undefined {
    const first = this.#neededBegun < NEEDED_PER_ANSWER ? this.#needed.shift(ANY) : undefined;
    if (first) {
      this.#neededBegun += 1;
      return first;
    }
    this.#neededBegun = 0;
    return this.#answers.shift(ANY) ?? this.#needed.shift(ANY);
  }
}

const ANY = (): boolean => true;

/** The jobs of this process. */
export const byteJobs = new ByteJobs();
