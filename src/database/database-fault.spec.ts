import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { databaseFault, mayBeDone, wasLate } from './database-fault.js';

const database = migratedDatabase('audit_events');

const raised = (code: string) => sql.raw(`do $$ begin raise exception 'refused' using errcode = '${code}'; end $$`);
const write = () => database().rows(sql`insert into audit_events (actor, action, subject) values ('a', 'b', 'c')`);

/** The fault of a real error of the driver. */
async function faultOf(statement: Promise<unknown>): Promise<string | undefined> {
  return statement.then(
    () => 'none',
    (error: unknown) => databaseFault(error),
  );
}

describe('the fault of a driver error', () => {
  it.each([
    ['full', '53100'],
    ['overloaded', '53200'],
    ['overloaded', '53300'],
    ['read_only', '25006'],
    ['locked', '55P03'],
    ['locked', '57014'],
    ['locked', '40P01'],
    ['unavailable', '57P03'],
    [undefined, '23505'],
  ])('is %s for SQLSTATE %s', async (fault, code) => {
    expect(await faultOf(database().rows(raised(code)))).toBe(fault);
  });

  it('is read_only for a real write in a read-only transaction', async () => {
    const tables = database().tables.transaction(
      (tx) => tx.execute(sql`insert into audit_events (actor, action, subject) values ('a', 'b', 'c')`),
      { accessMode: 'read only' },
    );
    expect(await faultOf(tables)).toBe('read_only');
  });

  it('is unavailable if no server listens', async () => {
    expect(
      await faultOf(new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/none' }).query('select')),
    ).toBe('unavailable');
  });

  it.each([
    ['overloaded', 'timeout exceeded when trying to connect'],
    ['unavailable', 'Query read timeout'],
    ['unavailable', 'Connection terminated due to connection timeout'],
  ])("is %s for pg's error without a code: %s", (fault, message) => {
    expect(databaseFault(new Error('Failed query', { cause: new Error(message) }))).toBe(fault);
  });

  it.each(['connection terminated', 'Query read timeout', 'timeout exceeded when trying to connect'])(
    'does not follow from a text of a supplier in the statement: %s',
    (text) => {
      const duplicate = Object.assign(new Error(`Key (name)=(${text}) already exists.`), { code: '23505' });
      const error = new DrizzleQueryError('insert into reservations values ($1)', [text], duplicate);
      expect([databaseFault(error), mayBeDone(error)]).toEqual([undefined, false]);
    },
  );

  it.each([['ENOSPC'], ['EDQUOT']])('is full for %s of the embedded database’s files', (code) => {
    expect(databaseFault(Object.assign(new Error('no space left'), { code }))).toBe('full');
  });
});

describe('the watch of writes', () => {
  const faultNow = () => database().writes.fault?.fault;

  it('remembers why the last write failed until another one succeeds; reads and writes without a row prove nothing', async () => {
    await write();
    expect(faultNow()).toBeUndefined();
    await faultOf(database().rows(raised('53100')));
    await database().rows(sql`select count(*) from audit_events`);
    await database().rows(sql`update audit_events set actor = actor where actor = 'nobody'`);
    expect(faultNow()).toBe('full');
    expect(Math.abs((database().writes.fault?.at ?? 0) - Date.now())).toBeLessThan(60_000);
    await write();
    expect(faultNow()).toBeUndefined();
  });

  it('ignores faults of a statement', async () => {
    await write();
    await faultOf(database().rows(raised('23505')));
    expect(faultNow()).toBeUndefined();
  });
});

describe('a database that was late', () => {
  const coded = (code: string) => Object.assign(new Error('canceling'), { code });
  it.each([
    coded('57014'),
    coded('55P03'),
    coded('40P01'),
    coded('53300'),
    new Error('timeout expired'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Connection terminated due to connection timeout'),
    new Error('Failed query: select 1', { cause: new Error('Query read timeout') }),
  ])('may be asked again: %s', (error) => {
    expect(wasLate(error)).toBe(true);
  });

  it.each([
    coded('ECONNREFUSED'),
    coded('42501'),
    coded('28P01'),
    new Error('timeout expired for user x'),
    'timeout expired',
    undefined,
  ])('is not one that refuses: %s', (error) => {
    expect(wasLate(error)).toBe(false);
  });
});
