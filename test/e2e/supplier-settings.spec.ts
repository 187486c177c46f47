import { describeWith } from '../support/binaries.js';
import {
  booked,
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  on,
  path,
  QUICK,
  read,
  reservationOf,
  SECRET,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type Behaviour, type FakeSupplier, reply, startFakeSupplier } from '../support/fake-supplier.js';
import { gwInThread } from '../support/gw.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;

/** A supplier that books this late has long been given up: the call timeout is 1 s, and the settle time 1 s. */
const LATE = 'alpine=slow(4500)';
const { abg, alpine, bravo, dune } = QUICK.suppliers;
/** Each supplier has the settings of one describe. */
const suppliers = {
  abg: { ...abg, state: 'maintenance' },
  alpine: { timeoutMs: { ...alpine?.timeoutMs, book: 1_000 } },
  bravo: { ...bravo, resilience: { breaker: { minCalls: 2, openMs: 60_000 } } },
  dune: { ...dune, countries: ['DE'] },
};

/**
 * Forwards a request to the supplier at `target`, and its answer back; cuts the connection if nothing listens there.
 */
const forwardTo =
  (target: string): Behaviour =>
  async (socket, request) => {
    const [head = '', body = ''] = request.split('\r\n\r\n', 2);
    const [line = '', ...lines] = head.split('\r\n');
    const [method = '', path = ''] = line.split(' ');
    const headers = lines
      .map((text): [string, string] => [
        text.slice(0, text.indexOf(':')).toLowerCase(),
        text.slice(text.indexOf(':') + 1).trim(),
      ])
      .filter(([name]) => !['host', 'connection', 'content-length'].includes(name));
    try {
      const answer = await fetch(`${target}${path}`, {
        method,
        headers,
        ...(body === '' ? {} : { body: Buffer.from(body, 'latin1') }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      reply(bytes, answer.headers.get('content-type') ?? '', `${answer.status} Passed on`)(socket, request);
    } catch {
      socket.destroy();
    }
  };

describeWith('initdb', 'redis-server')('a gateway whose suppliers have settings of their own', () => {
  let postgres: TestDatabase;
  let front: FakeSupplier;
  let passOn: Behaviour;
  let gateway: Gateway;
  let client: Client;
  let sent = 0;
  beforeAll(async () => {
    [postgres, front] = await Promise.all([freshDatabase(), startFakeSupplier()]);
    passOn = forwardTo(simulators().urls.bravo);
    front.behave(passOn);
    const env = {
      ...simulators().env,
      SUPPLIER_BRAVO_URL: front.url,
      DATABASE_URL: postgres.url,
      FORECOURT_SECRET: SECRET,
    };
    const reservations = { ...QUICK.settings.reservations, lateCheckSeconds: [1, 3, 5, 10] };
    gateway = await startGateway({ env, config: { ...QUICK, suppliers, settings: { reservations } } });
    client = await Client.of(gateway);
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await front.close();
    await postgres.dispose();
  });

  const gw = (...words: string[]) =>
    gwInThread(words, {
      DATABASE_URL: postgres.url,
      FORECOURT_SECRET: SECRET,
      DATA_DIR: gateway.dataFolder,
    });

  describe('a supplier in maintenance, and one that serves one country (ruling 6)', () => {
    test.each([locationsPath('BOS'), vehiclesPath()])(
      '%s: it is skipped and listed, and the answer is not partial',
      async (path) => {
        const answer = await client.get(path);
        expect([answer.status, answer.missing, answer.headers['x-suppliers-skipped']]).toEqual([200, [], 'abg']);
      },
    );

    test('it is a row of suppliers[] with outcome skipped and the reason, in JSON and in NDJSON', async () => {
      const row = { supplier: 'abg', outcome: 'skipped', cause: 'maintenance', offers: 0, duration_ms: 0 };
      const answer = await client.get(vehiclesPath({ pickup_location: 'FRA' }));
      expect(answer.body.suppliers.map(({ supplier }) => supplier)).toEqual(SUPPLIER_IDS);
      expect(answer.body.suppliers).toContainEqual(row);
      const stream = await client.get(vehiclesPath(), { headers: { accept: 'application/x-ndjson' } });
      const lines = stream.text.trimEnd().split('\n');
      expect(JSON.parse(lines.at(-2) ?? '')).toEqual({ ...row, vehicles: [] });
    });

    test('the only eligible supplier in maintenance: 503 maintenance with Retry-After', async () => {
      const answer = await client.get(locationsPath('BOS', { brand: 'Avis' }));
      expect([answer.status, answer.reasons, answer.headers['retry-after']]).toEqual([503, ['maintenance'], '120']);
    });

    test('a supplier that is off is not mentioned', async () => {
      const answer = await client.get(vehiclesPath());
      expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(/cobalt/i);
    });

    test('a supplier that does not serve the country is not mentioned (ruling 6)', async () => {
      const suppliers = async (pickup: string) => {
        const { body } = await client.get(vehiclesPath({ pickup_location: pickup }));
        return body.suppliers.map(({ supplier }) => supplier);
      };
      expect([await suppliers('BOS'), await suppliers('FRA')]).toEqual([
        SUPPLIER_IDS.filter((id) => id !== 'dune'),
        SUPPLIER_IDS,
      ]);
    });
  });

  claim(
    ['operation', 'V2.3.3'],
    'A booking that a supplier makes after its reservation failed is found, reported and listed, and an operator can have it cancelled.',
    async () => {
      const lastName = fresh();
      const { offer_id } = await offerOf(client, 'alpine');
      const answer = await create(client, { offer_id, driver: driver(lastName) }, { scenario: LATE });
      const { reservation_id: id } = reservationOf(answer);
      await settled(client, id, ['failed']);
      expect(await simulators().bookings('alpine', lastName)).toEqual([]);
      const found = await settled(client, id, ['manual_review']);
      const [booking] = await simulators().bookings('alpine', lastName);
      expect(path(found)).toBe('pending unknown failed manual_review');
      expect(found.confirmation_number).toBe(booking?.confirmation);
      expect(await gateway.metrics()).toContain('forecourt_late_bookings_total{supplier="alpine"} 1');
      expect(gw('reservation', 'unclear').stdout).toContain(`${id}\talpine\tmanual_review`);

      expect(gw('reservation', 'cancel', id, '--reason', 'the renter booked elsewhere').status).toBe(0);
      expect(path(await settled(client, id, ['cancelled']))).toBe(
        'pending unknown failed manual_review cancel_unknown cancelled',
      );
      const [after] = await eventually(
        () => simulators().bookings('alpine', lastName),
        ([one]) => one?.status === 'cancelled',
      );
      expect([after?.status, (await read(client, id)).history.at(-3)?.reason]).toEqual([
        'cancelled',
        'the supplier made the booking after it was given up',
      ]);
    },
  );

  test('a supplier whose bookings fail gets no further booking: an immediate 500 circuit_open, certainly not made, the same for its key; reads and cancellations work', async () => {
    const offers = [await offerOf(client, 'bravo'), await offerOf(client, 'bravo'), await offerOf(client, 'bravo')];
    const [first, second, third] = offers.map(({ offer_id }) => ({ offer_id, driver: driver(fresh()) }));
    const { reservation_id } = await booked(client, first ?? {});
    front.behave((socket, request) => {
      const isBooking = request.includes('OTA_VehResRQ');
      if (isBooking) sent += 1;
      (isBooking ? reply('', 'text/plain', '503 Busy') : passOn)(socket, request);
    });
    expect((await create(client, second ?? {})).status).toBe(202);
    const key = fresh('key');
    const refused = [await create(client, third ?? {}, { key }), await create(client, third ?? {}, { key })];
    expect(refused.map(({ status, missing }) => [status, missing])).toEqual([
      [500, ['500 bravo circuit_open']],
      [500, ['500 bravo circuit_open']],
    ]);
    expect([refused[1]?.headers['idempotent-replayed'], sent]).toEqual(['true', 1]);
    expect(await simulators().bookings('bravo', third?.driver.last_name ?? '')).toEqual([]);
    expect((await read(client, reservation_id)).state).toBe('confirmed');
    expect((await on(client, 'DELETE', reservation_id)).status).toBe(204);
  });

  describe('the service in maintenance (spec §7.3)', () => {
    beforeAll(async () => {
      expect(gw('maintenance', 'on', 'service').status).toBe(0);
      await eventually(
        () => client.get('/cars/locations/v1', { token: null }),
        ({ status }) => status === 503,
      );
    });

    test.each(['/oauth/token/v1', '/cars/locations/v1?keyword=boston', '/cars/catalog/v1/vehicles'])(
      '%s: 503 maintenance with Retry-After',
      async (path) => {
        const answer = await client.get(path, { token: null });
        expect([answer.status, answer.reasons, answer.headers['retry-after']]).toEqual([503, ['maintenance'], '120']);
      },
    );

    test('the endpoints of OAuth say so in its form', async () => {
      const answer = await client.call('POST', '/oauth/token/v1', {
        token: null,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'a=b',
      });
      const { error } = JSON.parse(answer.text) as { error: string };
      expect([answer.status, error, answer.headers['retry-after']]).toEqual([503, 'temporarily_unavailable', '120']);
    });

    test.each(['/health/live', '/health/ready', '/openapi.json'])('%s stays up', async (path) => {
      expect((await client.get(path, { token: null })).status).toBe(200);
    });
  });
});
