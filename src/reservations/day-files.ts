import { constants, createReadStream, mkdirSync } from 'node:fs';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { z } from 'zod';

const DAY_MS = 86_400_000;
/** No line is longer; whatever is, was never written by a gateway. */
const LONGEST_LINE = 2_000;

/** A symbolic link isn't followed: other users of the folder could choose which file gets the lines. */
const APPEND = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;

/**
 * A folder of append-only files `<yyyy-mm-dd><suffix>`, or `<yyyy-mm-dd>.<name><suffix>` with the name of a gateway, of lines of JSON. Any
 * number of gateways may write to one folder, on a network file system each with its own name. Files of other gateways may be
 * copied into it under any name that ends with the suffix: duplicates and the order of lines mean nothing.
 */
export class DayFiles {
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    readonly folder: string,
    private readonly suffix: string,
    private readonly name?: string,
  ) {}

  /** Creates the folder (0700). Throws the error of the file system. */
  create(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Opens the file of a day (an ISO 8601 text that begins with it) for `work`: each time, because it may have been deleted
   * since. Earlier work comes first. Rejects with the error of the file system.
   */
  withFile(day: string, work: (file: FileHandle) => Promise<void>): Promise<void> {
    const name = this.name === undefined ? '' : `.${this.name}`;
    return this.#inTurn(async () => {
      const file = await this.#open(`${day.slice(0, 10)}${name}${this.suffix}`);
      try {
        await work(file);
      } finally {
        await file.close();
      }
    });
  }

  /**
   * The lines of all files that may have some since an instant (epoch milliseconds), without empty ones. None if the folder doesn't exist; rejects with
   * the error of the file system.
   */
  async *lines(since = Number.NEGATIVE_INFINITY): AsyncGenerator<string> {
    for (const name of await this.#names()) {
      if (endOf(name) <= since) continue;
      for await (const line of createInterface({ input: createReadStream(join(this.folder, name)) }))
        if (line !== '') yield line;
    }
  }

  /** Deletes the files of days that ended before `before` (epoch milliseconds), and no others. */
  async prune(before: number): Promise<void> {
    for (const name of await this.#inTurn(() => this.#names()))
      if (endOf(name) <= before) await this.#inTurn(() => rm(join(this.folder, name), { force: true }));
  }

  /**
   * One after the other: with a file system that hangs, each call keeps one of the few threads of the process that also
   * compress answers and hash passwords.
   */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.folder)).filter((name) => name.endsWith(this.suffix));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
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
}

/** Writes lines in one write, each on a new line, because the last one in the file may be incomplete. */
export async function writeLines(file: FileHandle, lines: readonly string[]): Promise<void> {
  const text = Buffer.from(lines.map((line) => `\n${line}\n`).join(''));
  const { bytesWritten } = await file.write(text);
  if (bytesWritten < text.length) throw new Error('the disk is full');
}

/** What a line has, if it is of that form; undefined for other lines, such as incomplete ones. */
export function readLine<T>(schema: z.ZodType<T>, line: string): T | undefined {
  if (line.length > LONGEST_LINE) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** When the day of a file ends, in epoch milliseconds; never if its name has no date. */
function endOf(name: string): number {
  const date = /^\d{4}-\d\d-\d\d(?=\.)/.exec(name)?.[0];
  const day = date === undefined ? Number.NaN : Date.parse(date);
  return Number.isNaN(day) ? Number.POSITIVE_INFINITY : day + DAY_MS;
}
