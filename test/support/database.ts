import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of its own on the PostgreSQL server that all specs share. */
export interface TestDatabase {
  readonly url: string;
  query(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  /** Removes it, cutting its connections. */
  dispose(): Promise<void>;
}

/** Whether the shared server runs: it does unless PostgreSQL is not installed. */
export const hasSharedPostgres = process.env.TEST_POSTGRES_URL !== undefined;

/** Creates one, migrated or empty. Throws if the shared server does not run. */
export async function freshDatabase(template: 'migrated' | 'template0' = 'migrated'): Promise<TestDatabase> {
  const server = process.env.TEST_POSTGRES_URL;
  if (server === undefined)
    throw new Error('there is no shared PostgreSQL server: jest starts it for end-to-end tests');
  const name = `t_${randomBytes(8).toString('hex')}`;
  const manage = (statement: string) => queryOnce(`${server}/postgres`, statement, []);
  await manage(`create database ${name} template ${template}`);
  const url = `${server}/${name}`;
  return {
    url,
    query: (sql, values = []) => queryOnce(url, sql, values),
    dispose: async () => {
      await manage(`drop database if exists ${name} with (force)`);
    },
  };
}

/** Rows of one statement over a connection of its own. */
export async function queryOnce(
  url: string,
  sql: string,
  values: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const connection = new pg.Client({ connectionString: url });
  await connection.connect();
  try {
    return (await connection.query<Record<string, unknown>>(sql, [...values])).rows;
  } finally {
    await connection.end();
  }
}
