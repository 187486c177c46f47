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
/** Lines that are kept for a file system that hangs or fails. */
const MOST_OWED = 10_000;
/** How many of them are written in one write. */
const MOST_TOGETHER = 1_000;
/** When they are tried again, without another line that could be written. */
const RETRY_MS = 5_000;

/** A line that must be written, however late. */
interface OwedLine {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly text: string;
  /** It waits for a call that may still write it. */
  isUnderWay: boolean;
}

interface JournalSettings {
  /** Called with how many lines are lost: when the journal can be written again, and at the end. */
  readonly lost?: (lines: number) => void;
  /** Other values than RETRY_MS and MOST_OWED, for tests. */
  readonly retryMs?: number;
  readonly mostOwed?: number;
}

/** The journal of bookings: files `<yyyy-mm-dd>[.<name>].jsonl` of a folder. */
export class JournalFolder {
  readonly #unsynced = new Set<string>();
  #syncing: Promise<void> | undefined;
  #fault: Error | undefined;
  /** Calls to the file system that are late and haven't ended. */
  #hanging = 0;
  /** Lines of changes and cancellations that aren't written yet. */
  readonly #owed = new Set<OwedLine>();
  /** Those that were too many to keep. */
  #dropped = 0;
  /** Something failed that isn't tried again yet. */
  #retry: NodeJS.Timeout | undefined;
  #catchingUp: Promise<void> | undefined;
  readonly #files: DayFiles;
  /** The same files: a line doesn't wait until earlier ones are on the disk. */
  readonly #synced: DayFiles;

  constructor(
    readonly folder: string,
    name?: string,
    private readonly settings: JournalSettings = {},
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
   * immediately while it hangs. The line of a booking, which isn't sent then, may be written all the same if it is being
   * written; others are kept, up to 10,000 of them, and written once the file system takes lines again.
   */
  async append(entry: JournalEntry): Promise<void> {
    const line = { day: entry.at.slice(0, 10), text: JSON.stringify(entry), isUnderWay: false };
    await (entry.op === 'book' ? this.#writeInTime(line) : this.#writeOwed(line));
    if (this.#retry) void this.#catchUp();
  }

  /**
   * Rejects with the error of the file system if the last line could not be written and an attempt now fails as well.
   * `at` is the current time, ISO 8601.
   */
  async probe(at: string): Promise<void> {
    if (!this.#fault) return;
    await this.#inTime(() => this.#files.withFile(at, (file) => writeLines(file, [''])));
    await this.#flush(at);
    if (this.#hanging === 0) this.#fault = undefined;
    if (this.#retry) void this.#catchUp();
  }

  /** Resolves once everything that was appended is on the disk, or after two seconds; what isn't written then is reported as lost. */
  async settled(): Promise<void> {
    const settling = this.#catchUp().then(() => this.#syncing);
    await Promise.race([settling, wait(MOST_MS, undefined, { ref: false })]);
    this.#reportLost(this.#owed.size);
  }

  /** Deletes the files of days that ended before `before` (epoch milliseconds), and no others. */
  prune(before: number): Promise<void> {
    return this.#files.prune(before);
  }

  async #writeInTime({ day, text }: OwedLine): Promise<void> {
    await this.#inTime((isLate) =>
      this.#files.withFile(day, async (file) => {
        if (!isLate()) await writeLines(file, [text]);
      }),
    );
    this.#sync(day);
  }

  async #writeOwed(line: OwedLine): Promise<void> {
    const isKept = this.#owed.size < (this.settings.mostOwed ?? MOST_OWED);
    if (isKept) this.#owed.add(line);
    try {
      await this.#inTime(() => this.#writeTogether(line.day, [line]));
    } catch (error) {
      if (!isKept) this.#dropped += 1;
      this.#tryLater();
      throw error;
    }
  }

  /** Writes lines that are owed, which they are until the file is closed: a network file system may fail only then. */
  async #writeTogether(day: string, lines: readonly OwedLine[]): Promise<void> {
    const texts = lines.map(({ text }) => text);
    for (const line of lines) line.isUnderWay = true;
    try {
      await this.#files.withFile(day, (file) => writeLines(file, texts));
    } catch (error) {
      for (const line of lines) line.isUnderWay = false;
      this.#tryLater();
      throw error;
    }
    for (const line of lines) this.#owed.delete(line);
    this.#sync(day);
  }

  #tryLater(): void {
    this.#retry ??= setTimeout(() => void this.#catchUp(), this.settings.retryMs ?? RETRY_MS).unref();
  }

  /** Writes the lines that are owed, and brings to the disk what couldn't be. Never rejects. */
  #catchUp(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#catchingUp ??= this.#writeAll().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  async #writeAll(): Promise<void> {
    try {
      for (let next = this.#nextOwed(); next; next = this.#nextOwed()) {
        const [day, lines] = next;
        await this.#inTime(() => this.#writeTogether(day, lines));
      }
    } catch {
      // The next booking is refused until a line can be written.
      this.#tryLater();
      return;
    }
    if (this.#unsynced.size > 0) this.#syncing ??= this.#syncAll();
    if (this.#owed.size === 0) this.#reportLost(0);
  }

  /** Lines of one day that can be written together; undefined if there are none. */
  #nextOwed(): readonly [day: string, lines: readonly OwedLine[]] | undefined {
    const waiting = [...this.#owed].filter(({ isUnderWay }) => !isUnderWay);
    const day = waiting[0]?.day;
    if (day === undefined) return undefined;
    return [day, waiting.filter((line) => line.day === day).slice(0, MOST_TOGETHER)];
  }

  #reportLost(unwritten: number): void {
    const lines = this.#dropped + unwritten;
    this.#dropped = 0;
    if (lines > 0) this.settings.lost?.(lines);
  }

  get #isHanging(): boolean {
    return this.#fault !== undefined && this.#hanging > 0;
  }

  /** Brings files to the disk, one after the other: lines that arrive meanwhile share the next time. */
  #sync(day: string): void {
    this.#unsynced.add(day);
    this.#syncing ??= this.#syncAll();
  }

  async #syncAll(): Promise<void> {
    for (const day of this.#unsynced) {
      this.#unsynced.delete(day);
      try {
        await this.#flush(day);
      } catch {
        // The next booking is refused until the file can be written again.
        this.#unsynced.add(day);
        this.#tryLater();
        break;
      }
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
      working.then(end, end).then(() => (this.#hanging === 0 ? this.#catchUp() : undefined));
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
