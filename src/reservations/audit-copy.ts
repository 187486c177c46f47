import { z } from 'zod';
import { DayFiles, readLine, writeLines } from './day-files.js';

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

/** The files `<yyyy-mm-dd>[.<name>].changes.ndjson` beside the journal of bookings. */
export class AuditCopy {
  readonly #files: DayFiles;

  constructor(folder: string, name?: string) {
    this.#files = new DayFiles(folder, '.changes.ndjson', name);
  }

  /**
   * Appends changes, leaving out those whose subject isn't an id. Resolves once they are on the disk; rejects with the error
   * of the file system.
   */
  async append(changes: readonly CopiedChange[]): Promise<void> {
    const valid = changes.filter((change) => copySchema.safeParse(change).success);
    for (const [day, own] of Map.groupBy(valid, ({ at }) => at.slice(0, 10)))
      await this.#files.withFile(day, async (file) => {
        await writeLines(
          file,
          own.map((change) => JSON.stringify(change)),
        );
        await file.datasync();
      });
  }

  /** All changes of all files; other lines, such as incomplete ones, are skipped. Rejects with the error of the file system. */
  async *read(): AsyncGenerator<CopiedChange> {
    for await (const line of this.#files.lines()) {
      const change = readLine(copySchema, line);
      if (change) yield change;
    }
  }

  /** Deletes the files of days that ended before `before` (epoch milliseconds). */
  prune(before: number): Promise<void> {
    return this.#files.prune(before);
  }
}
