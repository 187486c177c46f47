import { PGlite } from '@electric-sql/pglite';
import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { createLogger } from './logger.js';
import { rootOf } from './plain-error.js';

const MARK = 'ada@example.com';

describe('an error of the database', () => {
  const failing = async (): Promise<Error> => {
    const tables = drizzle(await PGlite.create());
    await tables.execute(sql`create table people (email text unique)`);
    await tables.execute(sql`insert into people values (${MARK})`);
    return tables.execute(sql`insert into people values (${MARK})`).then(
      () => new Error('the second row should have been refused'),
      (error: Error) => error,
    );
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
