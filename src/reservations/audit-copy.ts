import { createReadStream, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { dayOf } from './journal-folder.js';

/** A change of the audit log, outside the database: which one and when, never its contents. */
const copySchema = z.object({
  /** ISO 8601 in UTC, with microseconds. */
  at: z.iso.datetime(),
  env: z.enum(['sandbox', 'production']),
  action: z.string().max(64),
  /** An id. Changes with any other subject, such as an email address, are not copied. */
  subject: z.string().regex(/^[\w.:/-]{1,100}$/),
  /** The id of the secret that was revoked or created. */
  secret: z.string().max(64).optional(),
});

export type CopiedChange = z.infer<typeof copySchema>;

const DAY_MS = 86_400_000;
const SUFFIX = '.changes.ndjson';

/**
 * The files `<yyyy-mm-dd>[.<name>].changes.ndjson` beside the journal of bookings. Any number of gateways may write to one
 * folder, on a network file system each with its own name. Duplicates and the order of lines mean nothing.
 */
export class AuditCopy {
  constructor(
    private readonly folder: string,
    private readonly name?: string,
  ) {}

  /**
   * Appends changes, leaving out those whose subject isn't an id. Resolves once they are on the disk; rejects with the error
   * of the file system.
   */
  async append(changes: readonly CopiedChange[]): Promise<void> {
    const valid = changes.filter((change) => copySchema.safeParse(change).success);
    if (valid.length === 0) return;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const [day, own] of Map.groupBy(valid, ({ at }) => at.slice(0, 10))) {
      const name = this.name === undefined ? '' : `.${this.name}`;
      const file = await open(join(this.folder, `${day}${name}${SUFFIX}`), 'a', 0o600);
      try {
        const text = Buffer.from(own.map((change) => `\n${JSON.stringify(change)}\n`).join(''));
        const { bytesWritten } = await file.write(text);
        if (bytesWritten < text.length) throw new Error('the disk is full');
        await file.datasync();
      } finally {
        await file.close();
      }
    }
  }

  /** All changes of all files; other lines, such as incomplete ones, are skipped. Rejects with the error of the file system. */
  async *read(): AsyncGenerator<CopiedChange> {
    for (const name of this.#names()) {
      for await (const line of createInterface({ input: createReadStream(join(this.folder, name)) })) {
        const change = changeOf(line);
        if (change) yield change;
      }
    }
  }

  /** Deletes the files of days that ended before `before` (epoch milliseconds). */
  prune(before: number): void {
    for (const name of this.#names()) {
      const day = dayOf(name);
      if (day !== undefined && day + DAY_MS <= before) rmSync(join(this.folder, name), { force: true });
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.folder).filter((name) => name.endsWith(SUFFIX));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}

function changeOf(line: string): CopiedChange | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return copySchema.safeParse(JSON.parse(line)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
