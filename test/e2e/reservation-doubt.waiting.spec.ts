import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import {
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  on,
  path,
  QUICK,
  quoteOf,
  RESERVATIONS,
  read,
  reservationOf,
  SECRET,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { type Cutter, startCutter } from '../support/cut-connection.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Pooler, startPgbouncer } from '../support/pgbouncer.js';
import { vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;
const ENDPOINTS = '/cars/webhooks/v1/endpoints';
const INSERT = 'insert into reservations';
const [CHANGE, CANCELLATION] = ['change of remark requested', 'cancellation requested'];

describeWith('initdb', 'redis-server')('a connection that breaks after a reservation is committed', () => {
  let database: TestDatabase;
  let cutter: Cutter;
  let gateway: Gateway;
  let client: Client;
  let offerId: string;
  beforeAll(async () => {
    database = await freshDatabase();
    cutter = await startCutter(database.url);
    const env = { ...simulators().env, DATABASE_URL: cutter.url, FORECOURT_SECRET: SECRET };
    gateway = await startGateway({ env, config: QUICK });
    client = await Client.of(gateway);
    offerId = (await offerOf(client, 'alpine')).offer_id;
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    cutter.close();
    await database.dispose();
  });

  /** What a test needs of an answer about an endpoint of webhooks. */
  const endpointOf = ({ text }: HttpAnswer) =>
    (JSON.parse(text) as { readonly endpoint: { readonly endpoint_id: string; readonly secret: string } }).endpoint;
  const stored = (key: string) =>
    database.query('select id, state from reservations where client_reference = $1', [key]);
  const book = (lastName: string, key: string, hasKey: boolean) =>
    create(client, { offer_id: offerId, driver: driver(lastName), client_reference: key }, hasKey ? { key } : {});

  /** The answer to `booking` while the journal can't be written, if the database fails after a statement with this text. */
  const unwritten = async (text: string, booking: () => Promise<HttpAnswer>): Promise<HttpAnswer> => {
    const file = join(gateway.dataFolder, 'journal', `${new Date().toISOString().slice(0, 10)}.jsonl`);
    renameSync(file, `${file}.kept`);
    mkdirSync(file);
    cutter.cutAfter(text, true);
    const answer = await booking();
    rmdirSync(file);
    renameSync(`${file}.kept`, file);
    cutter.restore();
    return answer;
  };

  test.each([[true], [false]])('is found, and the car booked once, with an Idempotency-Key = %s', async (hasKey) => {
    const [lastName, key] = [fresh(), fresh('key')];
    cutter.cutAfter(INSERT, false);
    const answer = await book(lastName, key, hasKey);
    expect([answer.status, reservationOf(answer).state]).toEqual([201, 'confirmed']);
    expect(await stored(key)).toEqual([{ id: reservationOf(answer).reservation_id, state: 'confirmed' }]);
    expect(await simulators().bookings('alpine', lastName)).toHaveLength(1);
  });

  test('a change and a cancellation are found, and sent by the request itself', async () => {
    const { reservation_id: id } = reservationOf(await book(fresh(), fresh('key'), false));
    cutter.cutAfter(CHANGE, false);
    const change = await on(client, 'PATCH', id, { remark: 'Two' });
    cutter.cutAfter(CANCELLATION, false);
    const cancellation = await on(client, 'DELETE', id);
    expect([change.status, cancellation.status]).toEqual([204, 204]);
    const after = await read(client, id);
    expect([after.remark, path(after)]).toEqual([
      'Two',
      'pending confirmed modify_pending confirmed cancel_pending cancelled',
    ]);
  });

  test('the secret of a webhook endpoint is shown, although the connection broke after its commit', async () => {
    const url = 'https://hooks.example.com/orders';
    cutter.cutAfter('webhook_endpoint_created', false, 'commit');
    const created = await client.post(ENDPOINTS, { url });
    const { endpoint_id: id, secret } = endpointOf(created);
    cutter.cutAfter('webhook_secret_rotated', false, 'commit');
    const rotated = await client.post(`${ENDPOINTS}/${id}/secret`, { overlap_hours: 0 });
    expect([created.status, rotated.status]).toEqual([201, 200]);
    expect([secret, endpointOf(rotated).secret]).toEqual([
      expect.stringMatching(/^whsec_/),
      expect.stringMatching(/^whsec_/),
    ]);
    const actions = await database.query('select action from audit_events where action like $1 order by id', [
      'webhook_%',
    ]);
    expect(actions).toEqual([{ action: 'webhook_endpoint_created' }, { action: 'webhook_secret_rotated' }]);
  });

  claim(
    ['operation', 'V2.3.3'],
    'If it is not known whether a change of an application was stored before the database failed, no answer says that nothing changed; before its commit, it says so.',
    async () => {
      const url = 'https://hooks.example.com/doubtful';
      cutter.cutAfter('webhook_endpoint_created', true, 'commit');
      const doubtful = await client.post(ENDPOINTS, { url });
      cutter.restore();
      expect([doubtful.status, doubtful.errors[0]?.cause, doubtful.headers['retry-after']]).toEqual([
        503,
        'outcome_unknown',
        '5',
      ]);
      expect(doubtful.errors[0]?.details).toContain('it is not known whether this request changed anything');
      const rows = () => database.query('select id from webhook_endpoints where url = $1', [url]);
      const [row] = await rows();
      cutter.cutAfter('webhook_endpoint_deleted', false);
      const undone = await client.call('DELETE', `${ENDPOINTS}/${row?.id}`);
      expect([undone.status, undone.errors[0]?.cause]).toEqual([503, 'database_unavailable']);
      expect(undone.errors[0]?.details).toContain('Nothing was booked or changed.');
      expect(await rows()).toEqual([row]);
    },
  );

  claim(
    ['operation', 'V2.3.3'],
    'If it is not known whether a change or cancellation was stored before the database failed, no answer says that nothing changes, because it may be sent later.',
    async () => {
      const { reservation_id: id } = reservationOf(await book(fresh(), fresh('key'), false));
      cutter.cutAfter(CANCELLATION, true);
      const answer = await on(client, 'DELETE', id);
      cutter.restore();
      expect([answer.status, answer.errors[0]?.cause, answer.headers.location]).toEqual([
        503,
        'outcome_unknown',
        `${RESERVATIONS}${id}`,
      ]);
      const after = await eventually(
        () => settled(client, id, ['cancelled', 'manual_review']).catch(() => undefined),
        (found) => found !== undefined,
      );
      expect(after?.history.at(-1)).toMatchObject({ to: 'cancelled', actor: 'reconciler' });
    },
    60_000,
  );

  claim(
    ['operation', 'V2.3.3'],
    'If it is not known whether a booking was stored before the database failed, the 503 says so, nothing is sent to the supplier, and the same key gets what was stored.',
    async () => {
      const [lastName, key] = [fresh(), fresh('key')];
      cutter.cutAfter(INSERT, true);
      const answer = await book(lastName, key, true);
      cutter.restore();
      expect([answer.status, answer.errors[0]?.cause, answer.headers['idempotent-retry']]).toEqual([
        503,
        'database_unavailable',
        'same-key',
      ]);
      expect(answer.errors[0]?.details).toContain(
        'This request sent no booking to the supplier, but may have stored a reservation, which then ends as failed.',
      );
      const [row] = await stored(key);
      expect(row?.state).not.toBe('confirmed');
      const id = String(row?.id);
      const after = await eventually(
        () => settled(client, id, ['failed', 'confirmed', 'manual_review']).catch(() => undefined),
        (found) => found !== undefined,
      );
      const again = await book(lastName, key, true);
      expect([after?.state, again.status, again.errors[0]?.cause]).toEqual(['failed', 500, 'not_booked']);
      expect(await simulators().bookings('alpine', lastName)).toEqual([]);
    },
    60_000,
  );

  claim(
    ['operation', 'V16.5.2'],
    'While the file system of the journal hangs, bookings are refused within seconds and not sent, and other calls are answered.',
    async () => {
      const file = join(gateway.dataFolder, 'journal', `${new Date().toISOString().slice(0, 10)}.jsonl`);
      expect((await book(fresh(), fresh('key'), false)).status).toBe(201);
      renameSync(file, `${file}.kept`);
      // Opening a pipe that nothing reads waits as a network file system does whose server is gone. The gateway may have made the file again.
      execFileSync('mkfifo', ['-m', '600', `${file}.pipe`]);
      renameSync(`${file}.pipe`, file);
      const names = Array.from({ length: 6 }, () => fresh());
      const refused = Promise.all(names.map((lastName) => book(lastName, fresh('key'), false)));
      const startedAt = performance.now();
      // fetch accepts gzip, which takes a thread as well.
      const searched = await fetch(`${gateway.baseUrl}${vehiclesPath()}`, {
        headers: { authorization: `Bearer ${await client.token()}` },
      });
      expect((await searched.text()).length).toBeGreaterThan(4_096);
      expect([searched.status, searched.headers.get('content-encoding')]).toEqual([200, 'gzip']);
      expect(performance.now() - startedAt).toBeLessThan(4_000);
      const told = (answers: HttpAnswer[]) => answers.map(({ status, reasons }) => `${status} ${reasons}`);
      expect(new Set(told(await refused))).toEqual(new Set(['503 maintenance']));
      const againAt = performance.now();
      expect(told([await book(fresh(), fresh('key'), false)])).toEqual(['503 maintenance']);
      expect(performance.now() - againAt).toBeLessThan(1_000);
      for (const lastName of names) expect(await simulators().bookings('alpine', lastName)).toEqual([]);
      const reader = openSync(file, 'r');
      renameSync(`${file}.kept`, file);
      await eventually(
        () => book(fresh(), fresh('key'), false),
        ({ status }) => status === 201,
      );
      closeSync(reader);
    },
    30_000,
  );

  claim(
    ['operation', 'V2.3.3'],
    'A booking that is not sent because the journal cannot be written is answered with 503 and a new key, even if that cannot be stored, and the new key books once.',
    async () => {
      const [lastName, key] = [fresh(), fresh('key')];
      const answer = await unwritten('not sent: the journal', () => book(lastName, key, true));
      const told = ({ status, headers, errors: [entry] }: HttpAnswer) => [
        ...[status, entry?.reason, headers['idempotent-retry'], headers['retry-after']],
        entry?.details.includes('Try again in a few seconds with another Idempotency-Key.'),
      ];
      expect(told(answer)).toEqual([503, 'maintenance', 'new-key', '5', true]);
      const booking = await eventually(
        () => book(lastName, fresh('key'), true),
        ({ status }) => status === 201,
      );
      expect(reservationOf(booking).state).toBe('confirmed');
      // What was stored in the end says the same.
      expect(told(await book(lastName, key, true))).toEqual(told(answer));
      expect(await simulators().bookings('alpine', lastName)).toHaveLength(1);
    },
    60_000,
  );

  test('a quote that could not be made usable again by a booking that is not sent stays used, and the answer says so', async () => {
    const { quote_id } = await quoteOf(client, { offer_id: offerId });
    const body = { quote_id, driver: driver(fresh()) };
    const answer = await unwritten('quote_digest = null', () => create(client, body, { key: fresh('key') }));
    expect([answer.status, answer.headers['idempotent-retry']]).toEqual([503, 'new-key']);
    expect(answer.errors[0]?.details).toContain('Get a new quote: this one may stay used.');
  }, 60_000);

  describeWith('pgbouncer')('with PgBouncer between', () => {
    let behind: Cutter;
    let pooler: Pooler;
    beforeAll(async () => {
      behind = await startCutter(database.url);
      pooler = await startPgbouncer(behind.url);
      cutter.lead(pooler.url);
      // Until the gateway has noticed that its connections broke.
      await eventually(
        () => client.get(`${RESERVATIONS}reservations`),
        ({ status }) => status === 200,
      );
    });
    afterAll(async () => {
      cutter.lead(database.url);
      await pooler.stop();
      behind.close();
    });

    claim(
      ['operation', 'V2.3.3'],
      'Behind PgBouncer as well, a booking, change or cancellation whose connection breaks after its commit is found, and sent by the request itself.',
      async () => {
        const [lastName, key] = [fresh(), fresh('key')];
        behind.cutAfter(INSERT, false);
        const booking = await book(lastName, key, true);
        expect([booking.status, reservationOf(booking).state]).toEqual([201, 'confirmed']);
        const { reservation_id: id } = reservationOf(booking);
        behind.cutAfter(CHANGE, false);
        const change = await on(client, 'PATCH', id, { remark: 'Two' });
        behind.cutAfter(CANCELLATION, false);
        const cancellation = await on(client, 'DELETE', id);
        expect([change.status, cancellation.status]).toEqual([204, 204]);
        expect(path(await read(client, id))).toBe(
          'pending confirmed modify_pending confirmed cancel_pending cancelled',
        );
        expect(await simulators().bookings('alpine', lastName)).toHaveLength(1);
      },
    );

    claim(
      ['operation', 'V16.5.2'],
      'Without PostgreSQL behind PgBouncer, bookings and token calls get 503, and work again when it is back.',
      async () => {
        const { reservation_id: id } = reservationOf(await book(fresh(), fresh('key'), false));
        behind.cutAfter(CANCELLATION, true);
        const doubtful = await on(client, 'DELETE', id);
        expect([doubtful.status, doubtful.errors[0]?.cause]).toEqual([503, 'outcome_unknown']);
        const { client_id, client_secret } = gateway.credentials();
        const token = () => client.get('/oauth/token/v1', { token: null, headers: { client_id, client_secret } });
        const answers = [
          await book(fresh(), fresh('key'), true),
          await on(client, 'GET', id),
          await on(client, 'PATCH', id, { remark: 'x' }),
          await on(client, 'DELETE', id),
          await token(),
        ];
        behind.restore();
        expect(answers.map(({ status, errors }) => [status, errors[0]?.cause])).toEqual(
          answers.map(() => [503, 'database_unavailable']),
        );
        for (const { headers } of answers) expect(headers['retry-after']).toBe('5');
        await eventually(token, ({ status }) => status === 200, 10_000);
        await settled(client, id, ['cancelled']);
      },
      60_000,
    );
  });
});
