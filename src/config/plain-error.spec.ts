import { rmSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { openDatabase } from '../database/database.js';
import { createLogger } from './logger.js';
import { printable, rootOf } from './plain-error.js';

const MARK = 'ada@example.com';

describe('an error of the database', () => {
  const failing = async (): Promise<Error> => {
    const folder = await migratedFolder();
    const database = await openDatabase(undefined, folder);
    try {
      await database.rows(sql`create table people (email text unique)`);
      await database.rows(sql`insert into people values (${MARK})`);
      await database.rows(sql`insert into people values (${MARK})`);
      return new Error('the second row should have been refused');
    } catch (error) {
      if (error instanceof Error) return error;
      throw error;
    } finally {
      await database.close();
      rmSync(folder, { recursive: true });
    }
  };

  it('is logged with its code, and with no value of its query or rows', async () => {
    const error = await failing();
    expect(String(error.message)).toContain(MARK);
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
    logger.error({ err: error }, 'unexpected error');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { code: '23505', message: expect.stringContaining('duplicate key') },
    });
    expect(lines.join()).not.toContain(MARK);
    expect(rootOf(error).message).not.toContain(MARK);
    for (const failed of [error, new Error('it cannot be compared', { cause: error })]) {
      const text = inspect(printable(failed));
      expect(text).toContain('duplicate key value violates unique constraint');
      expect(text).toContain('plain-error.spec');
      expect(text).not.toContain(MARK);
    }
  }, 30_000);
});

describe('the error of a failed start', () => {
  it('is printed with a bounded message, and that of its cause', () => {
    const long = 'x'.repeat(1_000_000);
    const failed = printable(new Error(`first ${long}`, { cause: new Error(`second ${long}`) }));
    expect([failed.message, failed.cause]).toEqual([
      expect.stringMatching(/^first x+…$/),
      expect.objectContaining({ message: expect.stringMatching(/^second x+…$/) }),
    ]);
    expect(inspect(failed).length).toBeLessThan(30_000);
  });

  it('is printed with four causes, if they lead back to it', () => {
    const failed = new Error('first');
    failed.cause = new Error('second', { cause: failed });
    const shown: string[] = [];
    for (let one: unknown = printable(failed); one instanceof Error; one = one.cause) shown.push(one.message);
    expect(shown).toEqual(['first', 'second', 'first', 'second', 'first']);
  });

  it("has the code of one without a message, and the text of what isn't an error", () => {
    const refused = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    expect([printable(refused).message, printable('no').message]).toEqual(['ECONNREFUSED', 'no']);
  });
});
