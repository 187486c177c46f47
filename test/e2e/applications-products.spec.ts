import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { describeWith } from '../support/binaries.js';
import { eventually } from '../support/booking.js';
import { Client } from '../support/client.js';
import { configFolder } from '../support/config-folder.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { FORECOURT_SECRET } from '../support/session.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const LOCATIONS = 'car_location_keyword_search';
const RESERVATION = 'car_reservation';

/**
 * The shipped configuration with a v2 of the location search, a v1.3 that stays designed, and a product that only has a
 * Beta.
 */
function configWithMoreVersions(): string {
  const folder = configFolder({});
  const file = join(folder, 'products.yaml');
  const content = parse(readFileSync(file, 'utf8')) as { products: { id: string; versions: Record<string, string> }[] };
  for (const product of content.products) {
    if (product.id === LOCATIONS) Object.assign(product.versions, { 'v1.3': 'designed', v2: 'designed' });
    if (product.id === RESERVATION) product.versions = { v1: 'beta' };
  }
  writeFileSync(file, stringify(content));
  return folder;
}

describeWith('redis-server', 'initdb')('visibility and subscriptions during the lifecycle of a product', () => {
  const CONFIG_DIR = configWithMoreVersions();
  let redis: RedisServer;
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  let ada: PortalPerson;
  let grace: PortalPerson;
  const env = () => ({ CONFIG_DIR, REDIS_URL: redis.url, DATABASE_URL: postgres.url, FORECOURT_SECRET });

  beforeAll(async () => {
    [redis, postgres] = await Promise.all([startRedis(), freshDatabase()]);
    gateway = await startGateway({ env: env() });
    client = await Client.of(gateway);
    [ada, grace] = [await portalPerson({ postgres, redis }), await portalPerson({ postgres, redis })];
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([redis.dispose(), postgres.dispose()]);
    rmSync(CONFIG_DIR, { recursive: true });
  });

  const succeed = (...words: string[]) => {
    const run = gwInThread(words, env());
    expect([run.status, run.stderr]).toEqual([0, expect.anything()]);
  };
  const create = async (
    person: PortalPerson,
    name: string,
  ): Promise<{ id: string; client_id: string; client_secret: string }> => {
    const { text } = await person.post(gateway.baseUrl, '/applications', { name, description: '' });
    const [, id = ''] = /href="\/applications\/(app_[^"#]+)"/.exec(text) ?? [];
    const [, client_id = ''] = /id="client-id">([^<]+)</.exec(text) ?? [];
    const [, client_secret = ''] = /id="client-secret">([^<]+)</.exec(text) ?? [];
    return { id, client_id, client_secret };
  };
  const subscribe = (person: PortalPerson, id: string, product: string) =>
    person.post(gateway.baseUrl, `/applications/${id}/subscriptions/${product}`);
  const products = async (person?: PortalPerson) =>
    person
      ? (await person.get(gateway.baseUrl, '/products')).text
      : await (await fetch(`${gateway.baseUrl}/products`)).text();
  /** Waits until the gateway has read an operator's changes. */
  const shows = (text: string, person?: PortalPerson) =>
    eventually(
      () => products(person),
      (page) => page.includes(text),
      5_000,
    );

  test('every person sees Live versions with path, purpose and docs, but no Designed version and no Beta of others', async () => {
    const text = await products();
    expect(text).toContain('<code>/cars/locations/v1.2</code>');
    expect(text).toContain('Searches the rental locations of all suppliers by keyword');
    expect(text).toContain('href="/docs/searching"');
    for (const hidden of ['v1.3', '/cars/locations/v2', 'Car Reservation']) expect(text).not.toContain(hidden);
  });

  test('only the account of a selected application sees a Beta, and only that application may subscribe', async () => {
    const [selected, other] = [await create(ada, 'Selected'), await create(ada, 'Other')];
    const foreign = await create(grace, 'Foreign');
    succeed('products', 'beta-add', RESERVATION, selected.id, '--version', 'v1');
    expect(await shows('Car Reservation', ada)).toMatch(/Car Reservation.*Beta<\/span> in the sandbox/s);
    for (const text of [await products(grace), await products()]) expect(text).not.toContain('Car Reservation');
    const button = (id: string) => `/applications/${id}/subscriptions/${RESERVATION}"`;
    expect((await ada.get(gateway.baseUrl, `/applications/${selected.id}`)).text).toContain(button(selected.id));
    expect((await ada.get(gateway.baseUrl, `/applications/${other.id}`)).text).not.toContain(button(other.id));
    expect((await subscribe(ada, other.id, RESERVATION)).status).toBe(400);
    expect((await subscribe(grace, foreign.id, RESERVATION)).status).toBe(400);
    expect((await subscribe(ada, selected.id, RESERVATION)).status).toBe(303);
  });

  test('shows a deprecated version with its end and successor; earlier subscribers keep it, new subscribers do not get it', async () => {
    const before = await create(ada, 'Before');
    await subscribe(ada, before.id, LOCATIONS);
    succeed('products', 'promote', LOCATIONS, '--version', 'v2', '--yes');
    succeed('products', 'promote', LOCATIONS, '--version', 'v2', '--sunset', '2027-12-30', '--yes');
    await shows('Deprecated');
    expect(await products()).toMatch(
      /locations\/v1\.1<\/code>.*Deprecated.*retired on <time[^>]*>2027-12-30<\/time>; migrate to v2/s,
    );
    const after = await create(ada, 'After');
    expect((await subscribe(ada, after.id, LOCATIONS)).status).toBe(303);
    const ask = async ({ client_id, client_secret }: { client_id: string; client_secret: string }, version: string) => {
      const minted = await client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
      return (
        await fetch(`${gateway.baseUrl}/cars/locations/${version}/?keyword=boston`, {
          headers: { authorization: `Bearer ${minted.body.access_token}` },
        })
      ).status;
    };
    await eventually(
      () => ask(after, 'v1'),
      (status) => status === 403,
      5_000,
    );
    expect(await ask(before, 'v1')).toBe(200);
  });

  test('a product with only deprecated versions takes no new subscription by button or request; its subscribers may leave', async () => {
    const [old, late] = [await create(grace, 'Old'), await create(grace, 'Late')];
    await subscribe(grace, old.id, 'car_availability');
    succeed('products', 'deprecate', 'car_availability', '--version', 'v1', '--yes');
    // Sent before this gateway is notified: the database is checked.
    const refused = await subscribe(grace, late.id, 'car_availability');
    expect([refused.status, refused.text.includes('This product is closed to new subscriptions.')]).toEqual([
      400,
      true,
    ]);
    expect(await postgres.query('select product_id from subscriptions where application_id = $1', [late.id])).toEqual(
      [],
    );
    const page = await grace.get(gateway.baseUrl, `/applications/${late.id}`);
    expect(page.text).not.toContain(`/applications/${late.id}/subscriptions/car_availability"`);
    expect((await subscribe(grace, old.id, 'car_availability')).status).toBe(303);
    await grace.post(gateway.baseUrl, `/applications/${old.id}/subscriptions/car_availability/end`);
    expect((await subscribe(grace, old.id, 'car_availability')).status).toBe(400);
  });

  test('no longer shows a retired version', async () => {
    succeed('products', 'retire', 'car_availability', '--version', 'v1', '--yes');
    await eventually(products, (page) => !page.includes('Car Availability'), 5_000);
  });
});
