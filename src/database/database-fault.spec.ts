import { describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import pg from 'pg';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { databaseFault, happened, mayBeDone, wasLate } from './database-fault.js';
import { isServerFault } from './postgres-servers.js';

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
    ['locked', '40001'],
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

describe('an error that ends a connection, or keeps it from being made', () => {
  const stated = (code: string, message: string, severity: string) =>
    Object.assign(new pg.DatabaseError(message, 1, 'error'), { code, severity });
  const coded = (code: string) => Object.assign(new Error('x'), { code });
  const LOGIN = 'server login has been failing, try again later (server_login_retry)';
  const CACHED = 'server login has been failing, cached error: connect failed (server_login_retry)';

  it.each([
    // PgBouncer's own errors.
    [
      '08P01',
      'server conn crashed?',
      'FATAL',
      { fault: 'unavailable', mayBeDone: true, ofServer: true, isLate: false },
    ],
    ['08P01', 'query_timeout', 'FATAL', { fault: 'unavailable', mayBeDone: true, ofServer: true, isLate: false }],
    ['08P01', LOGIN, 'FATAL', { fault: 'unavailable', mayBeDone: false, ofServer: true, isLate: false }],
    ['08P01', CACHED, 'FATAL', { fault: 'unavailable', mayBeDone: false, ofServer: true, isLate: false }],
    ['08P01', 'query_wait_timeout', 'FATAL', { fault: 'overloaded', mayBeDone: false, ofServer: false, isLate: true }],
    [
      '08P01',
      'no more connections allowed (max_client_conn)',
      'FATAL',
      { fault: 'overloaded', mayBeDone: false, ofServer: false, isLate: true },
    ],
    // Those of PostgreSQL.
    ['57P01', 'shutdown', 'FATAL', { fault: 'unavailable', mayBeDone: true, ofServer: true, isLate: false }],
    ['57P03', 'starting up', 'FATAL', { fault: 'unavailable', mayBeDone: false, ofServer: true, isLate: false }],
    ['25P03', 'idle', 'FATAL', { fault: 'unavailable', mayBeDone: true, ofServer: true, isLate: false }],
    ['08006', 'failure', 'ERROR', { fault: 'unavailable', mayBeDone: true, ofServer: true, isLate: false }],
    ['XX000', 'internal', 'FATAL', { fault: 'unavailable', mayBeDone: true, ofServer: false, isLate: false }],
    ['58030', 'no such block', 'PANIC', { fault: 'unavailable', mayBeDone: true, ofServer: false, isLate: false }],
    ['53300', 'too many', 'FATAL', { fault: 'overloaded', mayBeDone: false, ofServer: false, isLate: true }],
    // The server refuses a new connection, and keeps those that it has.
    ['28000', 'no login', 'FATAL', { fault: 'unavailable', mayBeDone: false, ofServer: false, isLate: false }],
    ['28P01', 'no password', 'FATAL', { fault: 'unavailable', mayBeDone: false, ofServer: false, isLate: false }],
    ['3D000', 'no database', 'FATAL', { fault: 'unavailable', mayBeDone: false, ofServer: false, isLate: false }],
    // A fault of the driver, which must not look like an outage.
    [
      '08P01',
      'bind message supplies 1 parameters, but prepared statement requires 2',
      'ERROR',
      { fault: undefined, mayBeDone: false, ofServer: false, isLate: false },
    ],
    ['58030', 'no such block', 'ERROR', { fault: undefined, mayBeDone: false, ofServer: false, isLate: false }],
  ])('is known by its SQLSTATE, text and severity: %s %s %s', (code, message, severity, expected) => {
    const own = stated(code, message, severity);
    const error = new DrizzleQueryError('insert into reservations values ($1)', [], own);
    expect({
      fault: databaseFault(error),
      mayBeDone: mayBeDone(error),
      ofServer: isServerFault(own),
      isLate: wasLate(error),
    }).toEqual(expected);
  });

  it.each([
    ['ECONNRESET', true],
    ['ECONNABORTED', true],
    ['ETIMEDOUT', true],
    ['EPIPE', true],
    ['ENETUNREACH', true],
    ['EHOSTUNREACH', true],
    ['ENETDOWN', true],
    ['EPROTO', true],
    ['ERR_SSL_SSL/TLS_ALERT_BAD_RECORD_MAC', true],
    ['ECONNREFUSED', false],
    ['ENOTFOUND', false],
    ['EAI_AGAIN', false],
  ])('is known by its code of Node: %s', (code, isDoubtful) => {
    expect([databaseFault(coded(code)), mayBeDone(coded(code))]).toEqual(['unavailable', isDoubtful]);
  });

  it('is one of the database whatever it says, if there was no connection: nothing was sent', () => {
    for (const error of [new Error('self-signed certificate'), coded('EMFILE'), coded('ECONNRESET')]) {
      const failed = new DrizzleQueryError('insert into x', [], happened('unconnected', error));
      expect([databaseFault(failed), mayBeDone(failed)]).toEqual(['unavailable', false]);
    }
  });

  it.each([
    ['insert into x values (1)', true],
    ['with changed as (update x set y = 1 returning y) insert into z select y from changed', true],
    ['commit', true],
    ['select 1', false],
    ['\n SELECT 1', false],
    ['with one as (select 1)\nselect * from one', false],
    ['begin', false],
  ])('leaves a doubt only about what may have changed something: %s', (query, expected) => {
    expect(mayBeDone(new DrizzleQueryError(query, [], coded('ECONNRESET')))).toBe(expected);
  });

  it('leaves no doubt about a transaction that it ended before its commit', () => {
    const error = new DrizzleQueryError('insert into x', [], happened('uncommitted', coded('ECONNRESET')));
    expect([databaseFault(error), mayBeDone(error)]).toEqual(['unavailable', false]);
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
