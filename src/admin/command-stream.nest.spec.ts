import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { migratedDatabase } from '../../test/support/migrated-database.js';
import type { CommandRun, OpenedGateway } from '../cli/command-run.js';
import { commandBody, streamCommand } from './command-stream.js';

const database = migratedDatabase('product_versions', 'products');
const origin: NonNullable<CommandRun['origin']> = { channel: 'admin_api', agent: 'adk_1 (Deploys)' };

/** The messages that a command streams. */
async function streamed(body: object): Promise<readonly Record<string, unknown>[]> {
  const gateway = { config: { environment: 'sandbox', search: {} }, database: database() } as unknown as OpenedGateway;
  const server = createServer((_request, response) => {
    void streamCommand(commandBody.parse(body), { gateway, origin, user: 'Deploys (adk_1)' }, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const text = await (await fetch(`http://127.0.0.1:${port}`)).text();
  server.close();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const INSERT_PRODUCT = sql`insert into products (id, name, path, state) values ('car_locations', 'L', '/cars/locations', 'live')`;
const INSERT_VERSION = sql`insert into product_versions (product_id, major, minor, patch, state)
  values ('car_locations', 1, 0, 0, 'deprecated')`;
const STATE = sql`select state from product_versions`;
const ANNOUNCE = sql`update product_versions set sunset_at = '2099-01-31'`;

const words = ['products', 'retire', 'car_locations', '--version', 'v1'];
const state = async () => (await database().rows<{ state: string }>(STATE))[0]?.state;

beforeEach(async () => {
  await database().rows(INSERT_PRODUCT);
  await database().rows(INSERT_VERSION);
});

it('a question ends the call, and its answer counts in the next one', async () => {
  const asked = await streamed({ words });
  const last = asked.at(-1) ?? {};
  expect(asked).toEqual([
    { tell: expect.stringContaining('deprecated → retired: no application may call it') },
    { ask: 'Continue?', digest: expect.any(String) },
  ]);
  expect(await state()).toBe('deprecated');
  expect(await streamed({ words, answer: { digest: last.digest, value: false } })).toEqual([
    { tell: 'nothing was changed' },
    { exit: 2 },
  ]);
  expect(await state()).toBe('deprecated');
  expect(await streamed({ words, answer: { digest: last.digest, value: true } })).toEqual([
    { print: 'car_locations v1: deprecated → retired' },
    { exit: 0 },
  ]);
  expect(await state()).toBe('retired');
});

it('an answer to another output than the one before the question is asked for again', async () => {
  const [, { digest } = {}] = await streamed({ words });
  await database().rows(ANNOUNCE);
  expect(await streamed({ words, answer: { digest, value: true } })).toEqual([
    { tell: expect.stringContaining('its sunset was announced for 2099-01-31') },
    { ask: 'Continue?', digest: expect.not.stringContaining(String(digest)) },
  ]);
  expect(await state()).toBe('deprecated');
});
