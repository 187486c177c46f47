import { expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseFault } from './database-fault.js';
import { isServerFault, NoServerError, PostgresServers } from './postgres-servers.js';

const coded = (code: string): Error => Object.assign(new Error(`it is ${code}`), { code });
/** An error of the server, not of the driver. */
const stated = (code: string): Error => Object.assign(new pg.DatabaseError('x', 1, 'error'), { code });

const SEVERAL = 'postgresql://me:hush@one,two,three/db?target_session_attrs=read-write';

it.each([
  [['ECONNREFUSED', '25006'], 'unavailable'],
  [['25006', 'ECONNREFUSED'], 'unavailable'],
  [['25006', '25006'], 'read_only'],
  [['25006', '53300'], 'overloaded'],
  [['28P01', '25006'], undefined],
] as const)('if servers fail with %j, the fault is %s, and the message has each server and reason', (codes, fault) => {
  const failures = codes.map((code, at) => ({ server: { name: `h${at}`, url: 'hush' }, error: coded(code) }));
  const error = new NoServerError(failures);
  expect(databaseFault(error)).toBe(fault);
  expect(error.message).toContain(`h0: it is ${codes[0]}; h1: it is ${codes[1]}`);
  expect(error.message).not.toContain('hush');
});

it.each([
  ['a reset', coded('ECONNRESET'), true],
  ['an end', new Error('Connection terminated unexpectedly'), true],
  ['a shutdown', stated('57P01'), true],
  ['a refused write', stated('25006'), true],
  ['a missing answer', new Error('Query read timeout'), true],
  ['a statement that took too long', stated('57014'), false],
  ['a deadlock', stated('40P01'), false],
  ['a broken constraint', stated('23505'), false],
  ['a value that cannot be sent', new TypeError('x'), false],
])('after %s, it is decided whether connections to the server may be used again', (_what, error, expected) => {
  expect(isServerFault(error)).toBe(expected);
});

it('after a failure the next server has its turn, and connections to the failed one are outdated; others are not', () => {
  const servers = new PostgresServers(SEVERAL);
  const made = () => {
    const client = new pg.Client();
    servers.made(client, servers.next);
    return client;
  };
  const [first, second] = [made(), made()];
  servers.failed(first, coded('ECONNREFUSED'));
  expect([servers.next.name, servers.isOutdated(first), servers.isOutdated(second)]).toEqual(['two', true, true]);
  const third = made();
  // The news of the other connection comes late, and must not skip a server.
  servers.failed(second, coded('ECONNRESET'));
  expect([servers.next.name, servers.isOutdated(third)]).toEqual(['two', false]);
  servers.failed(third, stated('53300'));
  expect([servers.next.name, servers.isOutdated(third)]).toEqual(['three', false]);
  servers.failed(made(), coded('25006'));
  expect(servers.next.name).toBe('one');
});

it('what old connections report late says nothing about those that were made after the failure', () => {
  const servers = new PostgresServers('postgresql://me:hush@one/db');
  const made = () => {
    const client = new pg.Client();
    servers.made(client, servers.next);
    return client;
  };
  const [first, second] = [made(), made()];
  servers.failed(first, coded('ECONNRESET'));
  const later = made();
  // The rollback on the broken connection, and the statement on another that got no answer.
  servers.failed(first, new Error('Client has encountered a connection error and is not queryable'));
  servers.failed(second, new Error('Query read timeout'));
  expect([first, second, later].map((client) => servers.isOutdated(client))).toEqual([true, true, false]);
  servers.failed(later, coded('ECONNRESET'));
  expect([servers.isOutdated(later), servers.isOutdated(made())]).toEqual([true, false]);
});
