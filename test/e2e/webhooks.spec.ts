import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../../src/webhooks/fixtures/receiver.js';
import { describeWith } from '../support/binaries.js';
import { booked, driver, eventually, fresh, offerOf, RESERVATIONS, SECRET } from '../support/booking.js';
import { type Child, plainEnvironment, startChild } from '../support/child.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { GW, gwInThread } from '../support/gw.js';
import { localGateway } from '../support/local-gateway.js';
import { PROJECT } from '../support/project.js';
import type { DemoCredentials } from '../support/start-gateway.js';

const ENDPOINTS = '/cars/webhooks/v1/endpoints';
const UNKNOWN = `${ENDPOINTS}/whe_${'0'.repeat(24)}`;
const EVENT = `evt_${'0'.repeat(32)}`;

interface Endpoint {
  readonly endpoint_id: string;
  readonly secret: string;
  readonly state: string;
}

interface Body {
  readonly endpoint: Endpoint;
  readonly endpoints: readonly Endpoint[];
  readonly deliveries: readonly { event_id: string; type: string; state: string; last_attempt?: { status?: number } }[];
  readonly event_id: string;
  readonly queued: number;
}

const bodyOf = ({ text }: HttpAnswer): Body => JSON.parse(text) as Body;

describeWith('initdb', 'redis-server')('webhooks', () => {
  const running = localGateway();
  const gw = (...words: string[]) => gwInThread(words, commandEnv());
  const commandEnv = () => ({
    DATA_DIR: running().gateway.dataFolder,
    DATABASE_URL: running().postgres.url,
    REDIS_URL: running().redis.url,
    FORECOURT_SECRET: SECRET,
  });
  /** A client of an application of this spec, so that other specs don't cause events of it. */
  let client: Client;
  let application: string;
  let own: DemoCredentials;
  const call = async (method: string, path: string, body?: string | object) =>
    client.call(method, path, body === undefined ? {} : { body });
  let receiver: Receiver;
  let endpoint: Endpoint;
  const at = (path = '') => `${ENDPOINTS}/${endpoint.endpoint_id}${path}`;
  beforeAll(async () => {
    receiver = await startReceiver();
    const { gateway } = running();
    const created = JSON.parse(gw('apps', 'create', fresh('Events'), '--tier', 'demo').stdout);
    own = created;
    application = created.application_id;
    client = await Client.of({
      ...gateway,
      credentials: (name) => (name === undefined || name === 'demo' ? own : gateway.credentials(name)),
    });
    endpoint = bodyOf(await call('POST', ENDPOINTS, { url: receiver.url, description: 'Orders' })).endpoint;
  });
  afterAll(async () => {
    client.close();
    await receiver.stop();
  });

  /** The types of the events of a reservation, in the order of their first arrival. */
  const typesOf = (id: string) => [
    ...new Set(receiver.received.filter(({ body }) => body.data.reservation_id === id).map(({ body }) => body.type)),
  ];

  test('an endpoint receives what happens to a reservation, signed and in order', async () => {
    const { reservation_id: id } = await booked(client, {
      offer_id: (await offerOf(client, 'alpine')).offer_id,
      driver: driver('Sample'),
    });
    expect((await client.call('DELETE', `${RESERVATIONS}${id}`)).status).toBe(204);
    const types = ['reservation.created', 'reservation.confirmed', 'reservation.cancelled'];
    await eventually(
      async () => typesOf(id),
      (seen) => seen.length === types.length,
      20_000,
    );
    expect(typesOf(id)).toEqual(types);
    for (const { text, headers } of receiver.received) {
      new Webhook(endpoint.secret).verify(text, headers as Record<string, string>);
      expect(text).not.toMatch(/Sample|example\.com/);
    }
    const { deliveries } = bodyOf(await call('GET', at('/deliveries?limit=3&state=delivered')));
    expect(deliveries.map(({ type }) => type)).toEqual(types.toReversed());
    const older = bodyOf(
      await call('GET', at(`/deliveries?before=${deliveries[1]?.event_id}&type=reservation.created`)),
    );
    expect(older.deliveries.map(({ event_id: event }) => event)).toEqual([deliveries[2]?.event_id]);
  });

  /** An endpoint of one test: each gets a test event every ten seconds only. */
  const another = async (url: string): Promise<Endpoint> =>
    bodyOf(await call('POST', ENDPOINTS, { url, description: 'Others' })).endpoint;

  test('a secret is shown once, and replaced with an overlap', async () => {
    const url = `${receiver.url}/secret`;
    const own = await another(url);
    const there = (path = '') => `${ENDPOINTS}/${own.endpoint_id}${path}`;
    const shown = bodyOf(await call('GET', there())).endpoint;
    expect(shown).toMatchObject({ url, events: null, description: 'Others', state: 'active' });
    expect(shown).not.toHaveProperty('secret');
    expect((await call('GET', ENDPOINTS)).text).not.toContain('whsec_');
    const { secret } = bodyOf(await call('POST', there('/secret'), { overlap_hours: 1 })).endpoint;
    expect(bodyOf(await call('GET', there())).endpoint).toHaveProperty('previous_secret_until');
    const { event_id: id } = bodyOf(await call('POST', there('/test'), {}));
    const soon = await call('POST', there('/test'), {});
    expect([soon.status, soon.headers['retry-after']]).toEqual([429, '10']);
    const event = await eventually(
      async () => receiver.received.find((one) => one.id === id),
      (one) => one !== undefined,
      10_000,
    );
    for (const known of [own.secret, secret])
      new Webhook(known).verify(event?.text ?? '', event?.headers as Record<string, string>);
    expect((await call('DELETE', there())).status).toBe(204);
  });

  test('an event is sent again with its id; a disabled endpoint gets none', async () => {
    const [newest] = bodyOf(await call('GET', at('/deliveries?limit=1'))).deliveries;
    const id = newest?.event_id ?? '';
    expect(bodyOf(await call('POST', at('/replay'), { event_id: id })).queued).toBe(1);
    await eventually(
      async () => receiver.received.filter((one) => one.id === id).length,
      (count) => count === 2,
      10_000,
    );
    expect(
      bodyOf(await call('PATCH', at(), { state: 'disabled', events: ['product.deprecated'] })).endpoint,
    ).toMatchObject({
      state: 'disabled',
      events: ['product.deprecated'],
    });
    for (const [path, body] of [
      ['/test', {}],
      ['/replay', { event_id: id }],
    ] as const) {
      const refused = await call('POST', at(path), body);
      expect([refused.status, refused.errors[0]?.details]).toEqual([400, expect.stringContaining('disabled')]);
    }
    expect((await call('PATCH', at(), { state: 'active', events: null, description: null })).status).toBe(200);
  });

  test.each<[string, string, string, string | object | undefined, readonly string[]]>([
    ['POST', ENDPOINTS, 'nothing', {}, ['invalid_request url']],
    ['POST', ENDPOINTS, 'an unknown field', { url: 'https://a.example/', topics: [] }, ['invalid_request topics']],
    ['POST', ENDPOINTS, 'another type', { url: 7 }, ['invalid_format url']],
    ['POST', ENDPOINTS, 'no URL', { url: 'a.example' }, ['invalid_format url']],
    ['POST', ENDPOINTS, 'plain HTTP', { url: 'http://a.example/' }, ['invalid_format url']],
    ['POST', ENDPOINTS, 'a private address', { url: 'https://10.0.0.1/' }, ['invalid_format url']],
    ['POST', ENDPOINTS, 'a password', { url: 'https://a:b@a.example/' }, ['invalid_format url']],
    ['POST', ENDPOINTS, 'a long URL', { url: `https://a.example/${'x'.repeat(500)}` }, ['invalid_range url']],
    ['POST', ENDPOINTS, 'an unknown type', { url: 'https://a.example/', events: ['x'] }, ['invalid_range events.0']],
    ['POST', ENDPOINTS, 'no types', { url: 'https://a.example/', events: [] }, ['invalid_range events']],
    [
      'POST',
      ENDPOINTS,
      'a repeated type',
      { url: 'https://a.example/', events: ['product.deprecated', 'product.deprecated'] },
      ['invalid_range events'],
    ],
    ['POST', `${ENDPOINTS}?dry=1`, 'a query', { url: 'https://a.example/' }, ['invalid_request dry']],
    ['GET', `${ENDPOINTS}?limit=1`, 'a query', undefined, ['invalid_request limit']],
    ['PATCH', '', 'nothing', {}, ['invalid_request ']],
    ['PATCH', '', 'another state', { state: 'suspended' }, ['invalid_range state']],
    ['PATCH', '', 'an empty text', { description: '' }, ['invalid_range description']],
    ['POST', '/secret', 'no object', '[]', ['invalid_format ']],
    ['POST', '/secret', 'a long overlap', { overlap_hours: 169 }, ['invalid_range overlap_hours']],
    ['POST', '/secret', 'a text', { overlap_hours: '1' }, ['invalid_format overlap_hours']],
    ['POST', '/test?type=x', 'a query', {}, ['invalid_request type']],
    ['POST', '/test', 'an unknown field', { type: 'x' }, ['invalid_request type']],
    ['POST', '/replay', 'nothing', {}, ['invalid_request event_id']],
    ['POST', '/replay', 'both', { event_id: EVENT, since: '2027-01-01T00:00:00Z' }, ['invalid_request event_id']],
    ['POST', '/replay', 'an unknown event', { event_id: EVENT }, ['resource_failure event_id']],
    ['POST', '/replay', 'a local time', { since: '2027-01-01T00:00:00' }, ['invalid_format since']],
    ['POST', '/replay', 'a year 0', { since: '0000-01-01T00:00:00Z' }, ['invalid_range since']],
    ['GET', '/deliveries?limit=0', 'a low limit', undefined, ['invalid_range limit']],
    ['GET', '/deliveries?limit=101', 'a high limit', undefined, ['invalid_range limit']],
    ['GET', '/deliveries?limit=1&limit=2', 'a repeated limit', undefined, ['invalid_request limit']],
    ['GET', '/deliveries?state=lost', 'an unknown state', undefined, ['invalid_range state']],
    ['GET', '/deliveries?before=evt_1', 'another id', undefined, ['invalid_format before']],
    ['GET', '/deliveries?after=1', 'an unknown parameter', undefined, ['invalid_request after']],
  ])('%s %s with %s is refused', async (method, path, _what, body, expected) => {
    const { errors } = await call(method, path.startsWith('/cars') ? path : at(path), body);
    expect(errors.map(({ reason, field }) => `${reason} ${field ?? ''}`)).toEqual(expected);
  });

  claim(
    'API2',
    'A token that is revoked while a request waits for its turn does nothing: no webhook endpoint is created.',
    async () => {
      const { gateway, postgres } = running();
      const locker = new pg.Client({ connectionString: postgres.url });
      await locker.connect();
      await locker.query('begin');
      await locker.query('select 1 from applications where id = $1 for update', [application]);
      const first = call('POST', ENDPOINTS, { url: `${receiver.url}/first` });
      await eventually(
        () =>
          postgres.query(
            "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
          ),
        ({ length }) => length > 0,
      );
      const token = await client.freshToken();
      const second = client.post(ENDPOINTS, { url: `${receiver.url}/second` }, { token });
      // Until its turn, it leaves no trace.
      await wait(300);
      const revoked = await fetch(`${gateway.baseUrl}/oauth/revoke/v1`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${own.client_id}:${own.client_secret}`).toString('base64')}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: `token=${token}`,
      });
      expect(revoked.status).toBe(200);
      await locker.query('commit');
      await locker.end();
      expect([(await first).status, (await second).status]).toEqual([201, 401]);
      expect((await call('GET', ENDPOINTS)).text).not.toContain(`${receiver.url}/second`);
      expect((await call('DELETE', `${ENDPOINTS}/${bodyOf(await first).endpoint.endpoint_id}`)).status).toBe(204);
    },
  );

  test('an application has at most five endpoints, each with a URL of its own', async () => {
    const again = await call('POST', ENDPOINTS, { url: receiver.url });
    expect(again.errors).toMatchObject([{ reason: 'invalid_request', field: 'url' }]);
    const made = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) =>
        call('POST', ENDPOINTS, { url: `${receiver.url}/${number}`, events: ['product.deprecated'] }),
      ),
    );
    expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 400, 400]);
    for (const one of made.filter(({ status }) => status === 201))
      expect((await call('DELETE', `${ENDPOINTS}/${bodyOf(one).endpoint.endpoint_id}`)).status).toBe(204);
  });

  claim(
    'API1',
    'For an application, the webhook endpoints of other applications and their events do not exist.',
    async () => {
      const token = await client.token('demo-throttled');
      const event = bodyOf(await call('GET', at('/deliveries?limit=1'))).deliveries[0]?.event_id;
      for (const [method, path, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { state: 'disabled' }],
        ['DELETE', '', undefined],
        ['POST', '/secret', {}],
        ['POST', '/test', {}],
        ['GET', '/deliveries', undefined],
        ['POST', '/replay', { event_id: event }],
        ['POST', '/replay', { since: '2020-01-01T00:00:00Z' }],
      ] as const) {
        const given = { token, ...(body === undefined ? {} : { body }) };
        const [foreign, unknown] = [
          await client.call(method, at(path), given),
          await client.call(method, `${UNKNOWN}${path}`, given),
        ];
        const { request_time: _one, ...first } = foreign.body.status;
        const { request_time: _other, ...second } = unknown.body.status;
        expect([method, path, foreign.status, first]).toEqual([method, path, 404, second]);
      }
      expect(bodyOf(await client.get(ENDPOINTS, { token })).endpoints).toEqual([]);
      expect(bodyOf(await call('GET', at())).endpoint.state).toBe('active');
    },
  );

  test('gw lists, tests, follows and replays in the running gateway', async () => {
    const run = (...words: string[]) => gw('webhooks', ...words);
    expect(run('list', application).stdout).toBe(
      `id\tstate\turl\tevents\tfailing_since\n${endpoint.endpoint_id}\tactive\t${receiver.url}\tall\t-\n`,
    );
    // In a process of its own, because the receiver runs in this thread.
    const env = { ...plainEnvironment(), ...commandEnv() };
    const tail = startChild(process.execPath, [GW, 'webhooks', 'deliveries', endpoint.endpoint_id, '--follow', '60'], {
      cwd: PROJECT,
      env,
    });
    await tail.printed('reservation.cancelled');
    const queued = run('test', endpoint.endpoint_id).stdout.slice(0, 36);
    await tail.printed(`${queued}\twebhook.test\t${endpoint.endpoint_id}\tdelivered\t1\t204`);
    await tail.stop();
    expect(run('replay', endpoint.endpoint_id, '--event', queued).stdout).toBe('1 events queued\n');
    const replayed = run('replay', endpoint.endpoint_id, '--event', queued, '--json').stdout;
    expect(JSON.parse(replayed)).toEqual({ queued: 1 });
    expect(run('replay', endpoint.endpoint_id).stderr).toContain('either --event or --since');
    expect(run('disable', endpoint.endpoint_id).stdout).toBe(`${endpoint.endpoint_id}: disabled\n`);
    expect(run('test', endpoint.endpoint_id)).toMatchObject({ status: 2, stderr: expect.stringContaining('disabled') });
    expect(run('enable', endpoint.endpoint_id).status).toBe(0);
    const added = run('add', application, `${receiver.url}/gw`, '--events', 'product.deprecated').stdout;
    const { endpoint_id: id, secret } = JSON.parse(added) as Endpoint;
    expect(secret).toMatch(/^whsec_/);
    expect(run('rotate', id, '--overlap', '0').stdout).toMatch(/whsec_/);
    expect(run('delete', id, '--yes').stdout).toBe(`${id}: deleted\n`);
    expect(run('list', 'app_none').stdout).toBe('');
    expect(run('add', application, 'http://10.0.0.1/').stderr).toContain('must begin with https://');
  });

  test('the receiver of docs/webhooks.md verifies events', async () => {
    const page = readFileSync(join(PROJECT, 'docs', 'webhooks.md'), 'utf8');
    const code = /<!-- test:receiver -->\n```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-receiver-'));
    symlinkSync(join(PROJECT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'receiver.mjs'), code);
    let child: Child | undefined;
    try {
      const port = 20_000 + Math.floor(Math.random() * 20_000);
      const own = await another(`http://127.0.0.1:${port}/`);
      const env = { ...plainEnvironment(), WEBHOOK_SECRET: own.secret, PORT: String(port) };
      child = startChild(process.execPath, [join(folder, 'receiver.mjs')], { cwd: folder, env });
      await eventually(
        async () =>
          fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: '{}' }).then(
            ({ status }) => status,
            () => 0,
          ),
        (status) => status === 400,
        10_000,
      );
      expect((await call('POST', `${ENDPOINTS}/${own.endpoint_id}/test`, {})).status).toBe(202);
      await child.printed('webhook.test');
      expect(child.output()).not.toContain('Error');
    } finally {
      await child?.stop();
      rmSync(folder, { recursive: true });
    }
  });
});
