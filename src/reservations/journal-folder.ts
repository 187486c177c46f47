import { constants, createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';

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

const DAY_MS = 86_400_000;
/** No entry is longer; whatever is, was never written by a gateway. */
const LONGEST_LINE = 2_000;

/** A symbolic link isn't followed: other users of the folder could choose which file gets the lines. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;

/**
 * A folder of append-only files `<yyyy-mm-dd>.jsonl`, or `<yyyy-mm-dd>.<name>.jsonl` with the name of a gateway. Any number
 * of gateways may write to one folder, on a network file system each with its own name. Files of other gateways may be copied
 * into it under any name that ends with `.jsonl`: duplicates and the order of lines mean nothing.
 */
export class JournalFolder {
  readonly #unsynced = new Set<string>();
  #syncing: Promise<void> | undefined;
  #fault: Error | undefined;

  constructor(
    readonly folder: string,
    private readonly name?: string,
  ) {}

  /** Creates the folder (0700). Throws the error of the file system. */
  create(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Appends a line in one write; resolves once the operating system has it, so that it survives the end of this process.
   * It is on the disk some milliseconds later. Rejects with the error of the file system.
   */
  async append(entry: JournalEntry): Promise<void> {
    await this.#write(entry.at, JSON.stringify(entry));
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
    this.#fault = undefined;
  }

  /** Resolves once everything that was appended is on the disk. */
  async settled(): Promise<void> {
    await this.#syncing;
  }

  /** Deletes the files of days that ended before `before` (epoch milliseconds), and no others. */
  prune(before: number): void {
    for (const name of namesIn(this.folder)) {
      const day = dayOf(name);
      if (day !== undefined && day + DAY_MS <= before) rmSync(join(this.folder, name), { force: true });
    }
  }

  /**
   * A file is opened for each line: it may have been deleted since, and the day changes. Every write starts on a new
   * line, because the last one may be incomplete.
   */
  async #write(at: string, line: string): Promise<void> {
    const text = Buffer.from(`\n${line}\n`);
    try {
      await this.#withFile(at, async (file) => {
        const { bytesWritten } = await file.write(text);
        if (bytesWritten < text.length) throw new Error('the disk is full');
      });
    } catch (error) {
      throw this.#failed(error);
    }
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
      await this.#flush(day).catch((error: unknown) => this.#failed(error));
    }
    this.#syncing = undefined;
  }

  async #flush(at: string): Promise<void> {
    await this.#withFile(at, (file) => file.datasync());
  }

  async #withFile(at: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
    const name = this.name === undefined ? '' : `.${this.name}`;
    const file = await this.#open(`${at.slice(0, 10)}${name}.jsonl`);
    try {
      await work(file);
    } finally {
      await file.close();
    }
  }

  /** Creates the folder only if it is missing: looking for it each time would make the event loop wait for the disk. */
  async #open(name: string): Promise<FileHandle> {
    const path = join(this.folder, name);
    try {
      return await open(path, APPEND, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      this.create();
      return open(path, APPEND, 0o600);
    }
  }

  #failed(error: unknown): Error {
    this.#fault = error instanceof Error ? error : new Error(String(error));
    return this.#fault;
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
  for (const name of namesIn(folder)) {
    const day = dayOf(name);
    if (day !== undefined && day + DAY_MS <= since) continue;
    for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
      if (line === '') continue;
      const entry = entryOf(line);
      if (!entry) skipped();
      else if (Date.parse(entry.at) >= since) yield entry;
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** When the day of a file begins, in epoch milliseconds; undefined if its name has no date. */
export function dayOf(name: string): number | undefined {
  const date = /^\d{4}-\d\d-\d\d(?=\.)/.exec(name)?.[0];
  const day = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(day) ? undefined : day;
}

function entryOf(line: string): JournalEntry | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  try {
    return entrySchema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
