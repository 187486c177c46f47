import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import { loadKeys } from '../config/keys.js';
import { createLogger } from '../config/logger.js';
import { Outbox } from './outbox.js';

const database = migratedDatabase();
beforeEach(() => database().rows(sql`delete from outbox`));

const MAIL = { to: 'ada@example.com', subject: 'Hello', text: 'with a link', html: '<p>with a link</p>' };
const keyOf = (version: number): string => `${version}:${Buffer.alloc(32, version).toString('base64')}`;

/** The outbox of a gateway with these PERSONAL_DATA_KEYS, and its log lines. */
function outboxWith(...versions: number[]): { outbox: Outbox; logged: string[] } {
  return outboxIn('sandbox', ...versions);
}

function outboxIn(environment: 'sandbox' | 'production', ...versions: number[]): { outbox: Outbox; logged: string[] } {
  const config = configSchema.parse({
    environment,
    secret: 'a-secret-of-the-outbox-tests-0123456789',
    personalDataKeys: versions.map(keyOf).join(','),
  });
  const logged: string[] = [];
  const logger = createLogger('info', { write: (line) => void logged.push(line) });
  return { outbox: new Outbox(database(), config, loadKeys(config), logger), logged };
}
const endLeases = () => database().rows(sql`update outbox set leased_until = now() - interval '1 second'`);
const versions = () =>
  database().rows<{ text: string; html: string }>(
    sql`select distinct split_part(text, '.', 1) as text, split_part(html, '.', 1) as html from outbox`,
  );

describe('an email leased by a gateway', () => {
  it('is unavailable to other gateways until the lease of a crashed gateway expires', async () => {
    const [crashed, other] = [outboxWith(1).outbox, outboxWith(1).outbox];
    await crashed.put(MAIL);
    const leased = await crashed.lease(false);
    expect(leased).toMatchObject(MAIL);
    expect(await other.lease(false)).toBeUndefined();
    await endLeases();
    expect(await other.lease(false)).toEqual(leased);
  });

  it('is due again after as long as it has waited, within bounds, and gone after removal', async () => {
    const { outbox } = outboxWith(1);
    await outbox.put(MAIL);
    const { id } = (await outbox.lease(false)) ?? { id: 0 };
    for (const [waitedSeconds, seconds] of [
      [0, 1],
      [20, 20],
      [3_600, 60],
    ] as const) {
      await database().rows(sql`update outbox set at = now() - ${waitedSeconds} * interval '1 second'`);
      await outbox.postpone(id, 1_000, 60_000);
      expect(await outbox.lease(false)).toBeUndefined();
      expect(Math.abs((await outbox.dueInMs()) - seconds * 1_000)).toBeLessThan(1_000);
    }
    await endLeases();
    expect(await outbox.lease(false)).toMatchObject({ id });
    await outbox.remove(id);
    expect(await outbox.dueInMs()).toBe(Number.POSITIVE_INFINITY);
    expect(await database().rows(sql`select id from outbox`)).toEqual([]);
  });

  it('comes after those that were not tried yet, and is left while its domain has enough', async () => {
    const { outbox } = outboxWith(1);
    await outbox.put({ ...MAIL, to: 'slow@slow.example' });
    await outbox.lease(false);
    await endLeases();
    await outbox.put({ ...MAIL, to: 'new@slow.example' });
    await outbox.put(MAIL);
    expect(await outbox.lease(false, ['slow.example'])).toMatchObject({ to: MAIL.to });
    expect(await outbox.lease(false, ['slow.example'])).toBeUndefined();
    expect([await outbox.lease(false), await outbox.lease(false)]).toMatchObject([
      { to: 'new@slow.example' },
      { to: 'slow@slow.example' },
    ]);
  });
});

it('emails of sign-ups and those about accounts in use are leased apart from each other, and stay what they are', async () => {
  const { outbox } = outboxWith(1);
  await outbox.put({ ...MAIL, isSignUp: true });
  await outbox.put({ ...MAIL, to: 'bea@example.com' });
  const both = outboxWith(2, 1).outbox;
  expect(await both.reseal()).toEqual({ resealed: 2, unreadable: [] });
  expect([await both.hasSignUps(1), await both.hasSignUps(2)]).toEqual([true, false]);
  expect(await both.lease(false)).toMatchObject({ to: 'bea@example.com', isSignUp: false });
  expect(await both.lease(false)).toBeUndefined();
  expect(await both.lease(true)).toMatchObject({ ...MAIL, isSignUp: true });
  expect(await both.lease(true)).toBeUndefined();
  expect(await outboxIn('production', 1).outbox.hasSignUps(1)).toBe(false);
});

describe('an email whose key is missing', () => {
  it('does not block others, is logged once without its address, and is sent by a gateway that has the key', async () => {
    await outboxWith(1).outbox.put(MAIL);
    const { outbox, logged } = outboxWith(2);
    await outbox.put({ ...MAIL, to: 'bea@example.com' });
    expect(await outbox.lease(false)).toMatchObject({ to: 'bea@example.com' });
    expect(await outbox.lease(false)).toBeUndefined();
    expect(await outbox.newest(10)).toMatchObject([{ to: 'bea@example.com' }]);
    expect(logged).toEqual([
      expect.stringMatching(
        /key version 1s, which is not configured.*an email could not be decrypted and stays in the outbox/,
      ),
    ]);
    expect(logged.join('')).not.toContain('ada@');
    expect(await outboxWith(2, 1).outbox.lease(false)).toMatchObject(MAIL);
  });

  it('is reported by reseal and does not block others', async () => {
    const [old, both] = [outboxWith(1).outbox, outboxWith(2, 1).outbox];
    await old.put(MAIL);
    await outboxWith(3).outbox.put(MAIL);
    await old.put({ ...MAIL, to: 'bea@example.com' });
    expect(await both.reseal()).toEqual({ resealed: 2, unreadable: [expect.any(Number)] });
    expect(await outboxWith(2).outbox.newest(10)).toMatchObject([{ to: 'bea@example.com' }, MAIL]);
    expect((await versions()).map(({ text, html }) => [text, html]).sort()).toEqual([
      ['2s', '2s'],
      ['3s', '3s'],
    ]);
  });
});

describe('an email of the other environment on the same database, with the same keys', () => {
  it('is neither shown, leased, resealed nor dropped', async () => {
    const { outbox: production } = outboxIn('production', 1);
    await production.put(MAIL);
    const { outbox: sandbox, logged } = outboxWith(2, 1);
    expect(await sandbox.newest(10)).toEqual([]);
    expect(await sandbox.lease(false)).toBeUndefined();
    expect(await sandbox.reseal()).toEqual({ resealed: 0, unreadable: [] });
    expect(await sandbox.dropOlder(-60_000)).toBe(0);
    for (let count = 0; count < 3; count += 1) await sandbox.put({ ...MAIL, to: `bea${count}@example.com` });
    await sandbox.keepNewest(1);
    expect(logged).toEqual([]);
    expect(await production.newest(10)).toMatchObject([MAIL]);
  });

  it('cannot be opened even if its row says otherwise', async () => {
    await outboxIn('production', 1).outbox.put(MAIL);
    await database().rows(sql`update outbox set environment = 'sandbox'`);
    const { outbox, logged } = outboxWith(1);
    expect([await outbox.newest(10), await outbox.lease(false)]).toEqual([[], undefined]);
    expect(logged).toEqual([expect.stringContaining('key version 1p, of the other environment')]);
  });
});
