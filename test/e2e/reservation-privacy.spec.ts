import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema } from '../../src/config/config.schema.js';
import { loadKeys } from '../../src/config/keys.js';
import { SealedTexts } from '../../src/config/sealed-text.js';
import { placeOf } from '../../src/reservations/reservation-row.js';
import { describeWith } from '../support/binaries.js';
import {
  create,
  eventually,
  fresh,
  offerOf,
  on,
  QUICK,
  RATES,
  read,
  reservationOf,
  SECRET,
  SUPPLIERS,
  type SupplierId,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { gwInThread } from '../support/gw.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, newDataFolder, startGateway } from '../support/start-gateway.js';
import { type SupplierTap, startTap } from '../support/supplier-tap.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;

const CARD = '5105105105105100';
const RENTER = {
  first_name: 'Philippinella',
  last_name: 'Quixotesample',
  email: 'philippinella.q@hidden.example.com',
  phone: '+49 171 5550 7788',
  date_of_birth: '1984-02-29',
  licence: { number: 'LICZX778899', country_code: 'US', region: 'MA' },
  address: { lines: ['77 Hiddenlane'], city: 'Secretville', postal_code: 'ZQ98765', country_code: 'US' },
  loyalty: [{ program: 'LOYPROG', number: 'LOY99887766' }],
};
const BODY = {
  driver: RENTER,
  additional_drivers: [{ first_name: 'Zebulonia', last_name: 'Whispersample' }],
  arrival: { carrier_code: 'BA', flight_number: '7349' },
  remark: 'Whisper: ring thrice',
  client_reference: 'order-4711',
};
const CHANGED_MAIL = 'changed.q@hidden.example.com';
const PAYMENT = {
  type: 'card',
  credit_card_number: CARD,
  card_expiry: '09/39',
  card_holder: 'Holderina Quixotesample',
};

/** Data that only renter, caller and supplier may see. */
const SECRETS = [
  'Philippinella',
  'Quixotesample',
  'hidden.example.com',
  '5550 7788',
  '49171555',
  '1984-02-29',
  'LICZX778899',
  'Hiddenlane',
  'Secretville',
  'ZQ98765',
  'LOY99887766',
  'Zebulonia',
  'Whispersample',
  'ring thrice',
  'Holderina',
];
const CARD_PIECES = Array.from({ length: CARD.length - 12 }, (_, start) => CARD.slice(start, start + 13));

/** The secrets that a text contains, in any case; of the card number, fragments of 13 digits and more. */
function leaks(text: string): string[] {
  const lower = text.toLowerCase();
  return [...SECRETS, ...CARD_PIECES].filter((secret) => lower.includes(secret.toLowerCase()));
}

interface Lived {
  readonly errors: readonly HttpAnswer[];
  readonly ids: Readonly<Record<SupplierId, string>>;
  readonly keys: Readonly<Record<SupplierId, string>>;
}

/** Books and changes at every supplier, successfully and unsuccessfully. Returns every error answer. */
async function liveThrough(client: Client): Promise<Lived> {
  const lives = await Promise.all(SUPPLIERS.map((supplier) => liveAt(client, supplier)));
  const bySupplier = (of: (life: (typeof lives)[number]) => string) =>
    Object.fromEntries(lives.map((life) => [life.supplier, of(life)])) as Record<SupplierId, string>;
  return {
    errors: lives.flatMap(({ errors }) => errors),
    ids: bySupplier(({ id }) => id),
    keys: bySupplier(({ key }) => key),
  };
}

async function liveAt(client: Client, supplier: SupplierId) {
  const { offer_id } = await offerOf(client, supplier);
  const named = supplier === 'abg' ? { additional_drivers: [] } : {};
  const paid = supplier === 'dune' ? {} : { payment: PAYMENT };
  const body = { offer_id, price_tolerance: '900', ...BODY, ...named, ...paid };
  const key = fresh('key');
  const answer = await create(client, body, { key });
  if (answer.status !== 201) throw new Error(answer.text);
  const id = reservationOf(answer).reservation_id;
  const troubled = async () => {
    const answers: HttpAnswer[] = [];
    for (const verb of [
      'sold_out',
      'auth',
      'throttled',
      'garbage',
      'html',
      'error(500)',
      'lost_then_found',
      'empty',
      'on_request',
      'truncated',
    ])
      answers.push(await create(client, body, { scenario: `${supplier}=${verb}`, key: fresh('key') }));
    return answers;
  };
  const changed = async () => {
    await on(client, 'PATCH', id, { driver: { email: CHANGED_MAIL } });
    const unclear = { remark: 'Whisper: ring thrice again' };
    const answers = [await on(client, 'PATCH', id, unclear, { scenario: `${supplier}=garbage` })];
    if (supplier !== 'dune') await settled(client, id, ['confirmed', 'manual_review']);
    answers.push(
      await on(client, 'PATCH', id, { driver: { email: 'Quixotesample at hidden' } }),
      await on(client, 'PUT', id, { offer_id: 'off_x', remark: 'ring thrice' }),
    );
    return answers;
  };
  const refused = [
    create(client, { ...body, driver: { ...RENTER, email: 'Quixotesample at hidden.example.com' } }),
    create(client, { ...body, driver: { ...RENTER, date_of_birth: '29.02.1984 Quixotesample' } }),
    create(client, { ...body, driver: { ...RENTER, phone: 'Quixotesample' } }),
    create(client, { ...body, payment: { ...PAYMENT, card_expiry: '01/20' } }),
    create(client, { ...body, payment: { ...PAYMENT, type: 'voucher', voucher: CARD } }),
    create(client, { ...body, payment: { ...PAYMENT, credit_card_number: '4000000000000002' } }),
    create(client, { ...body, remark: `ring thrice ${CARD}` }),
    create(client, { ...body, driver: { ...RENTER, age: 'Quixotesample' } }),
    create(client, { ...body, offer_id: 'off_x' }, { key }),
    create(client, JSON.stringify(body).slice(0, -40)),
    client.post(RATES, { offer_id, date_of_birth: RENTER.date_of_birth, last_name: RENTER.last_name }),
    on(client, 'GET', `?last_name=${RENTER.last_name}`),
    on(client, 'GET', RENTER.last_name),
  ];
  const answers = (await Promise.all([troubled(), changed(), Promise.all(refused)])).flat();
  return { supplier, id, key, errors: answers.filter(({ status }) => status >= 400) };
}

describeWith('initdb')('personal data and card numbers, with PostgreSQL and the most verbose log', () => {
  let postgres: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  let taps: Record<SupplierId, SupplierTap>;
  let lived: Lived;
  beforeAll(async () => {
    postgres = await freshDatabase();
    taps = Object.fromEntries(
      await Promise.all(SUPPLIERS.map(async (id) => [id, await startTap(simulators().urls[id])] as const)),
    ) as typeof taps;
    const urls = Object.fromEntries(SUPPLIERS.map((id) => [`SUPPLIER_${id.toUpperCase()}_URL`, taps[id].url]));
    gateway = await startGateway({
      env: { ...simulators().env, ...urls, DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET, LOG_LEVEL: 'trace' },
      config: QUICK,
    });
    client = await Client.of(gateway);
    lived = await liveThrough(client);
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await Promise.all(Object.values(taps).map((tap) => tap.close()));
    await postgres.dispose();
  });

  /** Every row of every table, as text. */
  async function rows(): Promise<string[]> {
    const tables = await postgres.query(
      "select format('%I.%I', table_schema, table_name) as name from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
    );
    const found: string[] = [];
    for (const { name } of tables) {
      for (const { row } of await postgres.query(`select row_to_json(t)::text as row from ${String(name)} t`))
        found.push(String(row));
    }
    return found;
  }

  /** What the database has encrypted of a reservation's renter: the data, a change that is pending, and the answer to its key. */
  async function encryptedOf(id: string): Promise<string[]> {
    const found = await postgres.query(
      `select r.personal, r.change, k.answer from reservations r join idempotency_keys k on k.reservation_id = r.id where r.id = $1`,
      [id],
    );
    return found.flatMap(({ personal, change, answer }) => [personal, change, answer].map(String));
  }

  const reservations = (...words: string[]): string => {
    const own = { DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET, DATA_DIR: gateway.dataFolder };
    const { status, stdout, stderr } = gwInThread(['reservation', ...words], own);
    if (status !== 0) throw new Error(stderr);
    return stdout;
  };

  claim(
    ['API3', 'card-data', 'V14.2.6'],
    'Reading a reservation returns only the last four digits of the card.',
    async () => {
      const reservation = await read(client, lived.ids.alpine);
      expect(reservation.driver).toMatchObject({
        last_name: RENTER.last_name,
        email: CHANGED_MAIL,
        licence: RENTER.licence,
      });
      expect(reservation.payment).toEqual({ type: 'card', last_four: '5100' });
      expect(
        leaks(JSON.stringify(reservation)).filter((secret) => CARD_PIECES.includes(secret) || secret === 'Holderina'),
      ).toEqual([]);
      const [booking] = await simulators().bookings('alpine', lived.ids.alpine);
      expect(booking?.lastName).toBe(RENTER.last_name);
    },
  );

  test('no error answer contains any', () => {
    expect(lived.errors.length).toBeGreaterThan(60);
    expect(lived.errors.flatMap(({ text }) => leaks(text).map((leak) => `${leak}: ${text}`))).toEqual([]);
  });

  claim(
    ['personal-data', 'card-data', 'V16.2.5'],
    "At the most verbose level, the log contains no renter's data and no card number.",
    async () => {
      await on(client, 'GET', 'res_the_last_line', undefined, { headers: { 'x-request-id': 'the-last-line-of-all' } });
      const log = await eventually(
        async () => gateway.child.output(),
        (text) => text.includes('the-last-line-of-all'),
      );
      expect(log.length).toBeGreaterThan(10_000);
      expect(log.split('\n').filter((line) => leaks(line).length > 0)).toEqual([]);
    },
  );

  test('the metrics contain none', async () => {
    expect(leaks(await gateway.metrics())).toEqual([]);
  });

  claim(
    ['personal-data', 'card-data', 'V14.2.4'],
    "No row of any database table contains a renter's data or card number in plaintext.",
    async () => {
      const all = await rows();
      expect(all.filter((row) => row.includes(lived.ids.alpine)).length).toBeGreaterThan(2);
      expect(all.filter((row) => leaks(row).length > 0)).toEqual([]);
    },
  );

  test.each(['alpine', 'bravo', 'dune'] as const)('no URL that %s was called with contains any', (supplier) => {
    const { calls } = taps[supplier];
    expect(calls.length).toBeGreaterThan(10);
    expect(calls.filter((call) => leaks(decodeURIComponent(call)).length > 0)).toEqual([]);
  });

  test('the command line shows a reservation without personal data, unless requested', () => {
    expect(leaks(reservations('show', lived.ids.alpine))).toEqual([]);
    expect(reservations('show', lived.ids.alpine, '--personal')).toContain(RENTER.last_name);
    expect(leaks(reservations('unclear'))).toEqual([]);
  });

  test('an unfinished reservation is erased only by force', () => {
    expect(() => reservations('erase', lived.ids.bravo)).toThrow(/wait for its end, or use --force/);
  });

  describe('erased', () => {
    let encrypted: string[];
    beforeAll(async () => {
      const cancelled = await on(client, 'DELETE', lived.ids.alpine);
      if (cancelled.status !== 204) throw new Error(cancelled.text);
      // As a change whose outcome is unknown leaves it.
      const config = configSchema.parse({ secret: SECRET });
      const sealed = new SealedTexts(config, loadKeys(config), 'PERSONAL_DATA_KEYS');
      const change = sealed.seal(JSON.stringify({ personal: BODY }), placeOf('change', lived.ids.alpine));
      await postgres.query('update reservations set change = $1 where id = $2', [change, lived.ids.alpine]);
      encrypted = await encryptedOf(lived.ids.alpine);
      reservations('erase', lived.ids.alpine);
    });

    test('keeps the reservation without the renter; the last audit row names who erased it', async () => {
      const answer = await on(client, 'GET', lived.ids.alpine);
      const reservation = reservationOf(answer);
      expect([answer.status, reservation.state, reservation.driver, leaks(answer.text)]).toEqual([
        200,
        'cancelled',
        null,
        [],
      ]);
      expect([reservation.arrival, reservation.remark, reservation.additional_drivers]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect(reservation.history.at(-1)).toMatchObject({ actor: 'ops', to: 'cancelled' });
      expect(answer.headers.etag).toBe(`"${reservation.version}"`);
    });

    test('its key still belongs to it, without the renter', async () => {
      const { offer_id } = await offerOf(client, 'alpine');
      const other = await create(client, { offer_id, ...BODY }, { key: lived.keys.alpine });
      expect(other.errors[0]?.cause).toBe('idempotency_mismatch');
      expect(leaks(other.text)).toEqual([]);
    });

    claim(
      ['personal-data', 'V14.2.4'],
      "After erasure, the database has nothing encrypted of a reservation's renter, even if a change was pending.",
      async () => {
        expect(encrypted.map((text) => text.length > 50)).toEqual([true, true, true]);
        const all = await rows();
        expect(encrypted.filter((text) => all.some((row) => row.includes(text)))).toEqual([]);
        const [row] = await postgres.query(
          'select personal, change, client_reference, payment from reservations where id = $1',
          [lived.ids.alpine],
        );
        const keys = await postgres.query('select answer from idempotency_keys where reservation_id = $1', [
          lived.ids.alpine,
        ]);
        expect([row, keys]).toEqual([
          { personal: null, change: null, client_reference: null, payment: { type: 'card' } },
          [{ answer: null }],
        ]);
      },
    );

    test('a repetition of the same request returns the current reservation, without the renter', async () => {
      const { offer_id } = await offerOf(client, 'bravo');
      const body = { offer_id, price_tolerance: '900', ...BODY };
      const key = fresh('key');
      const { reservation_id: id } = reservationOf(await create(client, body, { key }));
      await on(client, 'DELETE', id);
      reservations('erase', id);
      for (const answer of [await create(client, body, { key }), await create(client, body, { key })]) {
        expect([answer.status, answer.headers['idempotent-replayed'], reservationOf(answer).reservation_id]).toEqual([
          201,
          'true',
          id,
        ]);
        expect([reservationOf(answer).driver, leaks(answer.text)]).toEqual([null, []]);
      }
    });

    test('it can no longer be changed; cancelling a cancelled one remains a success', async () => {
      const changed = await on(client, 'PATCH', lived.ids.alpine, { remark: 'x' });
      expect([changed.status, changed.errors[0]?.cause]).toEqual([400, 'not_changeable']);
      expect((await on(client, 'DELETE', lived.ids.alpine)).status).toBe(204);
    });

    test('if erased by force while active, it is read without the renter, and can be cancelled if no name is needed', async () => {
      reservations('erase', lived.ids.dune, '--force');
      expect((await read(client, lived.ids.dune)).driver).toBeNull();
      expect((await on(client, 'DELETE', lived.ids.dune)).status).toBe(204);
      expect(await simulators().bookings('dune', lived.ids.dune)).toMatchObject([{ status: 'cancelled' }]);
    });
  });
});

describe('personal data and card numbers, with the embedded database', () => {
  test('no byte of the data folder contains any, neither while the gateway runs nor after', async () => {
    const dataFolder = await newDataFolder(true);
    const gateway = await startGateway({ dataFolder, env: { ...simulators().env, LOG_LEVEL: 'trace' }, config: QUICK });
    const client = await Client.of(gateway);
    const { id } = await liveAt(client, 'alpine');
    client.close();
    const running = bytesOf(dataFolder);
    await gateway.stop();
    for (const text of [running, bytesOf(dataFolder)]) {
      expect(text).toContain(id);
      expect(leaks(text)).toEqual([]);
    }
    rmSync(dataFolder, { recursive: true, force: true });
  }, 240_000);
});

/** Every file of a folder in one text, one byte per character. */
function bytesOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('\n');
}
