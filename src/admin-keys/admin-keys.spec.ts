import { jest } from '@jest/globals';
import { type SQL, sql } from 'drizzle-orm';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { mayBeDone } from '../database/database-fault.js';
import { AdminKeys } from './admin-keys.js';
import { contentDigest, type ReceivedSignature, readSignature, signCall } from './message-signature.js';

const database = migratedDatabase('admin_nonces', 'admin_keys');
const keys = (environment: 'sandbox' | 'production' = 'sandbox') => new AdminKeys(database(), environment);
const HOUR_MS = 3_600_000;
const call = { method: 'GET', target: '/admin/v1/suppliers', contentDigest: contentDigest(Buffer.alloc(0)) };

async function created() {
  const key = { name: 'Deploys', role: 'operator', expiresAt: new Date(Date.now() + HOUR_MS) } as const;
  const { id, privateKey } = await keys().create(key, 'ops');
  const signature = (): ReceivedSignature => {
    const headers = signCall(call, Buffer.alloc(0), { keyId: id, privateKey });
    const read = readSignature(headers['signature-input'], headers.signature);
    if (!read) throw new Error('own signatures are read');
    return read;
  };
  return { id, privateKey, signature };
}

it('accepts a signature once, whichever gateway gets it', async () => {
  const { id, signature } = await created();
  const once = signature();
  expect(await keys().accept(call, once)).toEqual({ id, name: 'Deploys', role: 'operator' });
  expect(await keys().accept(call, once)).toBe('replayed');
  const twice = signature();
  const both = await Promise.all([keys().accept(call, twice), keys().accept(call, twice)]);
  expect(both.filter((one) => one === 'replayed')).toHaveLength(1);
});

it('refuses a wrong signature and an unknown key alike, and doesn’t use up a nonce for them', async () => {
  const { signature } = await created();
  const received = signature();
  expect(await keys().accept({ ...call, method: 'POST' }, received)).toBe('unknown');
  expect(await keys().accept(call, { ...received, keyId: 'adk_unknown' })).toBe('unknown');
  expect(await keys('production').accept(call, received)).toBe('unknown');
  expect(await keys().accept(call, received)).toMatchObject({ name: 'Deploys' });
});

it('refuses a revoked key from the next call on, and an expired one', async () => {
  const { id, signature } = await created();
  expect(await keys().accept(call, signature())).toMatchObject({ id });
  expect(await keys('production').revoke(id, 'ops')).toBe(false);
  expect([await keys().revoke(id, 'ops'), await keys().revoke(id, 'ops')]).toEqual([true, false]);
  expect(await keys().accept(call, signature())).toBe('revoked');
  const other = await created();
  await database().rows(sql`update admin_keys set expires_at = now() where id = ${other.id}`);
  expect(await keys().accept(call, other.signature())).toBe('expired');
});

it('refuses a signature of another time than that of the database', async () => {
  const { privateKey, id } = await created();
  const at = async (seconds: number) => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1_000);
    const headers = signCall(call, Buffer.alloc(0), { keyId: id, privateKey });
    now.mockRestore();
    const read = readSignature(headers['signature-input'], headers.signature);
    return read && (await keys().accept(call, read));
  };
  expect([await at(-320), await at(320)]).toEqual(['skewed', 'skewed']);
  expect([await at(-240), await at(240)]).toEqual([expect.objectContaining({ id }), expect.objectContaining({ id })]);
});

it('forgets nonces only after their signatures expired', async () => {
  const { signature } = await created();
  await keys().accept(call, signature());
  const seconds = await database().rows<{ left: number }>(
    sql`select extract(epoch from expires_at - now())::float8 as left from admin_nonces`,
  );
  expect(seconds).toEqual([{ left: expect.any(Number) }]);
  expect(seconds[0]?.left).toBeGreaterThan(300);
  await database().rows(sql`update admin_nonces set expires_at = now() - interval '1 second'`);
  await keys().accept(call, signature());
  expect(await database().rows(sql`select nonce from admin_nonces`)).toHaveLength(1);
});

it('leaves no doubt about the call if the nonce may have been stored', async () => {
  const { signature } = await created();
  const broken = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  const rows = jest
    .fn<(query: SQL) => Promise<unknown>>()
    .mockImplementationOnce((query) => database().rows(query))
    .mockRejectedValueOnce(new DrizzleQueryError('with x insert', [], broken));
  const failed = new AdminKeys({ ...database(), rows } as never, 'sandbox').accept(call, signature());
  expect(mayBeDone(await failed.catch((error: unknown) => error))).toBe(false);
  expect(rows).toHaveBeenCalledTimes(2);
});

it('stores no private key, and records who made and revoked a key', async () => {
  const { id, privateKey } = await created();
  await keys().revoke(id, 'ops');
  const [row] = await database().rows<{ all: string }>(sql`select row_to_json(k)::text as all from admin_keys k`);
  const secret = privateKey.split('\n')[1] ?? '';
  expect(secret.length).toBeGreaterThan(40);
  expect(row?.all).not.toContain(secret.slice(-20));
  const events = await database().rows(
    sql`select action, subject_kind from audit_events where subject = ${id} order by id`,
  );
  expect(events).toEqual([
    { action: 'admin_key_created', subject_kind: 'admin_key' },
    { action: 'admin_key_revoked', subject_kind: 'admin_key' },
  ]);
});
