import { createSecretKey } from 'node:crypto';
import { beforeEach, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { Webhook } from 'standardwebhooks';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import { configSchema } from '../config/config.schema.js';
import type { Database } from '../database/database.js';
import { EndpointStore } from './endpoint-store.js';
import { type SigningSecrets, WebhookSecrets } from './webhook-secrets.js';

const ONE = Buffer.alloc(32, 1).toString('base64');
const TWO = Buffer.alloc(32, 2).toString('base64');
const OWNER = { applicationId: 'app_a', accountId: 'acc_a' };
const SETTINGS = { url: 'http://127.0.0.1:1/', events: null, description: '', state: 'active' as const };
const MESSAGE = { id: 'evt_1', at: new Date(), body: '{}' };

const database = migratedDatabase('webhook_endpoints', 'applications', 'accounts');
const configWith = (secretKeys: string) => ({ ...configSchema.parse({}), secretKeys });
const secretsWith = (secretKeys: string) =>
  new WebhookSecrets(configWith(secretKeys), () => createSecretKey(Buffer.alloc(32, 5)));
/** Before, during and after the rotation of the key. */
const [older, both, newer] = [`1:${ONE}`, `2:${TWO},1:${ONE}`, `2:${TWO}`].map(secretsWith) as [
  WebhookSecrets,
  WebhookSecrets,
  WebhookSecrets,
];
const storeWith = (secrets: WebhookSecrets) => new EndpointStore(database(), configSchema.parse({}), secrets);

beforeEach(async () => {
  await database().rows(
    sql`insert into accounts (id, environment, name, tier) values ('acc_a', 'sandbox', 'Ada', 'demo')`,
  );
  await database().rows(sql`insert into applications (id, account_id, name, client_id, environment, tier) values
    ('app_a', 'acc_a', 'Shop', 'client_a', 'sandbox', 'demo')`);
});

/** An endpoint whose secret the older key seals. */
async function endpoint(): Promise<{ readonly id: string; readonly secret: string }> {
  const made = await storeWith(older).create(OWNER, SETTINGS, 'test');
  if (typeof made === 'string') throw new Error(made);
  return { id: made.endpoint.id, secret: made.secret };
}

async function stored(): Promise<SigningSecrets> {
  const [row] = await database().rows<SigningSecrets>(
    sql`select id, secret, previous_secret as "previousSecret" from webhook_endpoints`,
  );
  if (!row) throw new Error('there is no endpoint');
  return row;
}

const signatures = (...texts: readonly string[]) =>
  texts.map((text) => new Webhook(text).sign(MESSAGE.id, MESSAGE.at, MESSAGE.body)).join(' ');

it('a secret that its owner rotates while it is rewrapped signs for its overlap without the older key', async () => {
  const { id, secret } = await endpoint();
  let rotated = '';
  const rotating = {
    rows: async (statement: Parameters<Database['rows']>[0]) => {
      const rows = await database().rows(statement);
      if (rotated === '') rotated = (await storeWith(both).rotate('app_a', id, 24, 'test'))?.secret ?? '';
      return rows;
    },
  } as unknown as Database;
  expect(await both.rewrapAll(rotating, 'sandbox')).toEqual({ wrapped: 1, unreadable: [] });
  expect(newer.sign(await stored(), MESSAGE)).toBe(signatures(rotated, secret));
});

it('a previous secret whose key is gone keeps neither the current one from being rewrapped nor events from being signed', async () => {
  const { id } = await endpoint();
  const rotated = await storeWith(older).rotate('app_a', id, 24, 'test');
  await database().rows(sql`update webhook_endpoints set previous_secret = 'lost'`);
  expect(await both.rewrapAll(database(), 'sandbox')).toEqual({ wrapped: 0, unreadable: [id] });
  expect(newer.sign(await stored(), MESSAGE)).toBe(signatures(rotated?.secret ?? ''));
});

it('nothing is signed while the key of the current secret is missing', async () => {
  await endpoint();
  const row = await stored();
  expect(() => newer.sign({ ...row, previousSecret: newer.create(row.id).sealed }, MESSAGE)).toThrow();
});
