import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { DayFiles, readLine, writeLines } from './day-files.js';

/**
 * One line of the journal. Nothing in it is personal: key and quote are the hashes that the database stores, and a
 * confirmation number stays after an erasure as well.
 */
const entrySchema = z.object({
  /** The database's time, ISO 8601 in UTC. */
  at: z.iso.datetime(),
  /**
   * `book`, `change`, `cancel`: about to be sent. `number`: the supplier returned this confirmation number. `refused`: it
   * refused the change or cancellation, and the caller got an error.
   */
  op: z.enum(['book', 'number', 'change', 'cancel', 'refused']),
  /** The id of the reservation, which is the reference at the supplier. */
  ref: z.string().regex(/^\w{6,32}$/),
  env: z.enum(['sandbox', 'production']),
  app: z.string().max(64),
  supplier: z.string().max(64),
  brand: z.string().max(100),
  /** When the rental begins, local time there; of a change, as it should become. */
  pickup: z.string().max(32),
  /** Hash of the Idempotency-Key; absent = booked without one. */
  key: z.string().max(64).optional(),
  /** Digest of the quote that was booked; absent = booked with an offer, or by a version that didn't write it. */
  quote: z.string().max(64).optional(),
  number: z.string().max(64).optional(),
});

export type JournalEntry = z.infer<typeof entrySchema>;

const SUFFIX = '.jsonl';

/** How long the file system may take: if it hangs, bookings are refused instead of waiting for it. */
const MOST_MS = 2_000;
/** Lines that wait for a file system that hangs. */
const MOST_WAITING = 1_000;

/** The journal of bookings: files `<yyyy-mm-dd>[.<name>].jsonl` of a folder. */
export class JournalFolder {
  readonly #unsynced = new Set<string>();
  #syncing: Promise<void> | undefined;
  #fault: Error | undefined;
  /** Calls to the file system that are late and haven't ended. */
  #hanging = 0;
  #waiting = 0;
  readonly #files: DayFiles;
  /** The same files: a line doesn't wait until earlier ones are on the disk. */
  readonly #synced: DayFiles;

  constructor(
    readonly folder: string,
    name?: string,
  ) {
    this.#files = new DayFiles(folder, SUFFIX, name);
    this.#synced = new DayFiles(folder, SUFFIX, name);
  }

  /** Creates the folder (0700). Throws the error of the file system. */
  create(): void {
    this.#files.create();
  }

  /**
   * Appends a line in one write; resolves once the operating system has it, so that it survives the end of this process.
   * It is on the disk some milliseconds later. Rejects with the error of the file system, after two seconds at the latest and
   * immediately while it hangs. The line may then be written all the same: that of a booking, which isn't sent then, only if it
   * is being written; others once the file system answers, up to 1,000 of them.
   */
  async append(entry: JournalEntry): Promise<void> {
    await this.#write(entry.at, JSON.stringify(entry), entry.op !== 'book');
    this.#sync(entry.at);
  }

  /**
   * Rejects with the error of the file system if the last line could not be written and an attempt now fails as well.
   * `at` is the current time, ISO 8601.
   */
  async probe(at: string): Promise<void> {
    if (!this.#fault) return;
    await this.#write(at, '');
    await this.#flush(at);
    if (this.#hanging === 0) this.#fault = undefined;
  }

  /** Resolves once everything that was appended is on the disk, or after two seconds. */
  async settled(): Promise<void> {
    await Promise.race([this.#syncing, wait(MOST_MS, undefined, { ref: false })]);
  }

  /** Deletes the files of days that ended before `before` (epoch milliseconds), and no others. */
  prune(before: number): Promise<void> {
    return this.#files.prune(before);
  }

  #write(at: string, line: string, evenLate = false): Promise<void> {
    const write = (isLate: () => boolean) =>
      this.#files.withFile(at, async (file) => {
        if (evenLate || !isLate()) await writeLines(file, [line]);
      });
    if (evenLate && this.#isHanging && this.#waiting < MOST_WAITING) {
      this.#waiting += 1;
      const end = () => {
        this.#waiting -= 1;
      };
      write(() => false).then(end, end);
    }
    return this.#inTime(write);
  }

  get #isHanging(): boolean {
    return this.#fault !== undefined && this.#hanging > 0;
  }

  /** Brings files to the disk, one after the other: lines that arrive meanwhile share the next time. */
  #sync(at: string): void {
    this.#unsynced.add(at.slice(0, 10));
    this.#syncing ??= this.#syncAll();
  }

  async #syncAll(): Promise<void> {
    for (const day of this.#unsynced) {
      this.#unsynced.delete(day);
      // The next booking is refused until the file can be written again.
      await this.#flush(day).catch(() => undefined);
    }
    this.#syncing = undefined;
  }

  #flush(at: string): Promise<void> {
    return this.#inTime(() => this.#synced.withFile(at, (file) => file.datasync()));
  }

  /** Rejects after MOST_MS at the latest; nothing else is begun until what is late ends. */
  async #inTime(work: (isLate: () => boolean) => Promise<void>): Promise<void> {
    if (this.#isHanging) throw this.#fault;
    let isLate = false;
    const working = work(() => isLate);
    const timer = new AbortController();
    const late = wait(MOST_MS, undefined, { signal: timer.signal }).then(() => {
      isLate = true;
      this.#hanging += 1;
      const end = () => {
        this.#hanging -= 1;
      };
      working.then(end, end);
      throw new Error(`the file system does not answer within ${MOST_MS} ms`);
    });
    try {
      await Promise.race([working, late]);
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error(String(error));
      throw this.#fault;
    } finally {
      timer.abort();
    }
  }
}

/**
 * The entries of all files `*.jsonl` in a folder since an instant (epoch milliseconds), in no particular order and
 * possibly several times; of both environments. Lines that aren't entries, such as incomplete ones, are skipped and
 * counted by `skipped`. No entries if the folder doesn't exist; rejects with the error of the file system.
 */
export async function* entriesIn(
  folder: string,
  since: number,
  skipped: () => void = () => undefined,
): AsyncGenerator<JournalEntry> {
  for await (const line of new DayFiles(folder, SUFFIX).lines(since)) {
    const entry = readLine(entrySchema, line);
    if (!entry) skipped();
    else if (Date.parse(entry.at) >= since) yield entry;
  }
}
