import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describeWith } from '../support/binaries.js';
import { booked, create, driver, faults, fresh, offerOf, on, QUICK, RATES, SECRET } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { type PortalPerson, portalPerson } from '../support/portal-account.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { cardTexts, filesWith, SPELLINGS } from '../support/raw-search.js';
import { type RedisServer, startRedis } from '../support/redis.js';
import { dayAhead, locationsPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const PAYMENT_CARD = '5105105105105100';
const SEARCH_FAULTS = ['invalid_request loyalty.0.number', 'invalid_request discount_codes.0.value'];
/** Stored in plaintext where nothing is hidden, to show that the search reads everything. */
const CONTROL = 'raw-search-finds-this';

describeWith('initdb', 'redis-server')('card numbers in every spelling, with PostgreSQL and Redis', () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let gateway: Gateway;
  let client: Client;
  let ada: PortalPerson;
  let offerId: string;
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres('migrated'), startRedis()]);
    gateway = await startGateway({
      env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url, FORECOURT_SECRET: SECRET, LOG_LEVEL: 'trace' },
      config: QUICK,
    });
    client = await Client.of(gateway);
    ada = await portalPerson({ postgres, redis });
    offerId = (await offerOf(client, 'alpine')).offer_id;
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all([postgres.dispose(), redis.dispose()]);
  });

  const person = (text: string) => ({
    ...driver('Sample'),
    licence: { number: text },
    loyalty: [{ program: 'X', number: text }],
  });
  const rental = { pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33) };
  const form = (fields: Record<string, string>) => ({
    token: null,
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

  claim.each(SPELLINGS)(
    ['card-data', 'V14.2.1'],
    'Bookings, searches, quotes, URLs, forms and token requests with a card number, in over a hundred spellings, are rejected without repeating it.',
    '$name',
    async ({ text }) => {
      const booking = await create(client, {
        offer_id: offerId,
        driver: person(text),
        additional_drivers: [{ first_name: 'Bo', last_name: text }],
        payment: { type: 'card', credit_card_number: PAYMENT_CARD, card_expiry: '09/39', card_holder: text },
        client_reference: text,
        remark: text,
      });
      expect(booking.errors.map(({ reason, field }) => `${reason} ${field}`)).toEqual([
        'invalid_request driver.licence.number',
        'invalid_request driver.loyalty.0.number',
        'invalid_request additional_drivers.0.last_name',
        'invalid_request payment.card_holder',
        'invalid_request client_reference',
        'invalid_request remark',
      ]);
      const answers = [
        booking,
        ...(await Promise.all([
          client.post('/cars/catalog/v1/vehicles', {
            ...rental,
            loyalty: [{ number: text }],
            discount_codes: [{ type: 'promo', value: text }],
          }),
          client.post(RATES, { offer_id: text }),
          client.post(RATES, { [text]: 1 }),
          client.get(locationsPath(text)),
          client.get(`${locationsPath('BOS')}&${encodeURIComponent(text)}=1`),
          client.call('POST', '/oauth/token/v1', form({ grant_type: 'client_credentials', scope: text })),
        ])),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
      expect(faults(answers[1] as HttpAnswer)).toEqual(SEARCH_FAULTS);
      const page = await ada.post(gateway.baseUrl, '/applications', {
        name: text,
        description: `Sells cars.\n${text}`,
      });
      // At both fields.
      expect([page.status, page.text.split('This looks like a payment card number.').length]).toEqual([400, 3]);
      expect([...answers, page].filter((answer) => answer.text.includes(text))).toEqual([]);
    },
  );

  test('they reach neither the log nor suppliers as X-Request-Id', async () => {
    for (const { text } of SPELLINGS.filter(({ text }) => /^[\x20-\x7e]+$/.test(text))) {
      const { headers } = await client.get(locationsPath('BOS'), { headers: { 'x-request-id': text } });
      expect(headers['x-request-id']).toMatch(/^req_[\w-]{16}$/);
    }
  });

  test('a booking with a card, whose key is a card number, succeeds, fails and is cancelled', async () => {
    const body = {
      offer_id: offerId,
      price_tolerance: '900',
      driver: driver('Sample', { phone: '+49 1512 3456786', licence: { number: 'A30569309025904' } }),
      payment: { type: 'card', credit_card_number: PAYMENT_CARD, card_expiry: '09/39', card_holder: 'Ada Sample' },
      client_reference: CONTROL,
    };
    const { reservation_id: id } = await booked(client, body, { key: '4111111111111111' });
    for (const verb of ['garbage', 'sold_out', 'error(500)', 'auth'])
      await create(client, body, { scenario: `alpine=${verb}`, key: fresh('4111-1111-1111-1111-') });
    expect((await on(client, 'DELETE', id)).status).toBe(204);
  });

  claim(
    ['card-data', 'V14.2.4', 'V16.2.5'],
    "A raw search of PostgreSQL's files and write-ahead log, a dump of Redis, the log, the data folder and the ledgers of simulated suppliers finds no card number in any spelling that was sent.",
    async () => {
      client.close();
      await gateway.child.stop();
      const folder = mkdtempSync(join(tmpdir(), 'forecourt-raw-'));
      writeFileSync(join(folder, 'gateway.log'), gateway.child.output());
      const [{ data_directory: database } = {}] = await postgres.query('show data_directory');
      await postgres.query('checkpoint');
      const store = new Redis(redis.url);
      await store.config('SET', 'rdbcompression', 'no');
      await store.save();
      const [, dump = ''] = (await store.config('GET', 'dir')) as string[];
      store.disconnect();

      const sent = cardTexts([PAYMENT_CARD]);
      // The table, the index for finding a reservation by its reference, and the log.
      expect(filesWith([CONTROL], [String(database)])).toHaveLength(3);
      expect(filesWith(['app_demo'], [dump]).length).toBeGreaterThan(0);
      expect(filesWith(['/cars/reservation/v1'], [folder]).length).toBeGreaterThan(0);
      expect(statSync(join(gateway.dataFolder, 'simulators', 'alpine.jsonl')).size).toBeGreaterThan(100);
      expect(filesWith(sent, [String(database), dump, folder, gateway.dataFolder])).toEqual([]);
      rmSync(folder, { recursive: true, force: true });
    },
  );
});
