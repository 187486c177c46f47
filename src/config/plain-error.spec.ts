import { rmSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedFolder } from '../../test/support/migrated-folder.js';
import { openDatabase } from '../database/database.js';
import { createLogger } from './logger.js';
import { rootOf } from './plain-error.js';

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
  }, 30_000);
});
