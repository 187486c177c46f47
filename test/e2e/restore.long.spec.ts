import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import {
  booked,
  create,
  driver,
  fresh,
  offerOf,
  on,
  QUICK,
  quoteOf,
  type Reservation,
  reservationOf,
  runSimulators,
  SECRET,
  SUPPLIERS,
  type SupplierId,
} from '../support/booking.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { dumpDatabase, restoreDatabase } from '../support/dump.js';
import { gwInThread, type Said } from '../support/gw.js';
import { runGateway } from '../support/run-gateway.js';
import { type Gateway, newDataFolder, startGateway } from '../support/start-gateway.js';

const simulators = runSimulators();

/** A reservation that was made after the dump, and how. */
interface Made {
  readonly supplier: SupplierId;
  readonly lastName: string;
  readonly key: string;
  readonly body: object;
  readonly reservation: Reservation;
}

/** A quote that was booked after the dump, with or without a key. */
interface Quoted {
  readonly key: string | undefined;
  readonly lastName: string;
  readonly body: object;
  readonly id: string;
}

/** What the drill left: the gateway runs on a database restored to a time before `after` and the cancellation. */
interface Drill {
  readonly dataFolder: string;
  readonly gateway: Gateway;
  readonly client: Client;
  readonly startedAt: string;
  /** Booked before the dump. */
  readonly kept: Reservation;
  /** Booked before the dump, cancelled after it. */
  readonly cancelled: Reservation;
  /** Booked before the dump, changed after it. */
  readonly changed: Reservation;
  /** One at each supplier. */
  readonly after: readonly Made[];
  readonly quoted: readonly Quoted[];
  audit(...words: readonly string[]): Said;
  end(): Promise<void>;
}

/** Books, dumps the database, books and cancels more, and restores the dump as docs/backup.md says. */
async function drill(env: Readonly<Record<string, string>>): Promise<Drill> {
  const [first, second] = [await freshDatabase(), await freshDatabase()];
  const dataFolder = await newDataFolder(false);
  const startedAt = new Date(Date.now() - 1_000).toISOString();
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-dump-'));
  const environmentOf = ({ url }: TestDatabase) => ({
    ...simulators().env,
    DATABASE_URL: url,
    FORECOURT_SECRET: SECRET,
    ...env,
  });
  const before = await startGateway({ dataFolder, env: environmentOf(first), config: QUICK });
  const client = await Client.of(before);
  const stand = async (supplier: SupplierId): Promise<Made> => {
    const [lastName, key, { offer_id }] = [fresh(), fresh('key'), await offerOf(client, supplier)];
    const body = { offer_id, driver: driver(lastName) };
    return { supplier, lastName, key, body, reservation: await booked(client, body, { key }) };
  };
  const [kept, cancelled, changed] = [
    (await stand('alpine')).reservation,
    (await stand('alpine')).reservation,
    (await stand('bravo')).reservation,
  ];
  const dump = join(folder, 'forecourt.dump');
  await dumpDatabase(first.url, dump);
  const after: Made[] = [];
  for (const supplier of SUPPLIERS) after.push(await stand(supplier));
  const quoted: Quoted[] = [];
  for (const key of [undefined, fresh('key')]) {
    const [lastName, { quote_id }] = [
      fresh(),
      await quoteOf(client, { offer_id: (await offerOf(client, 'dune')).offer_id }),
    ];
    const body = { quote_id, driver: driver(lastName) };
    const { reservation_id: id } = await booked(client, body, key === undefined ? {} : { key });
    quoted.push({ key, lastName, body, id });
  }
  expect((await on(client, 'DELETE', cancelled.reservation_id)).status).toBe(204);
  // The supplier rejects the gateway's credentials: it does neither.
  const refused = await Promise.all([
    on(client, 'DELETE', kept.reservation_id, undefined, { scenario: 'alpine=auth' }),
    on(client, 'PATCH', changed.reservation_id, { remark: 'Two cases' }, { scenario: 'bravo=auth' }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([500, 500]);
  expect((await on(client, 'PATCH', changed.reservation_id, { remark: 'Three cases' })).status).toBe(204);
  client.close();
  // Killed: what was written must not depend on an orderly end.
  await before.child.stop('SIGKILL');
  await restoreDatabase(second.url, dump);
  const gateway = await startGateway({ dataFolder, env: environmentOf(second), config: QUICK });
  return {
    dataFolder,
    gateway,
    client: await Client.of(gateway),
    startedAt,
    kept,
    cancelled,
    changed,
    after,
    quoted,
    audit: (...words) =>
      gwInThread(['reservation', 'audit', '--since', startedAt, '--rate', '100', ...words], {
        ...environmentOf(second),
        DATA_DIR: dataFolder,
      }),
    end: async () => {
      await gateway.stop();
      await Promise.all([first.dispose(), second.dispose()]);
      for (const path of [folder, dataFolder]) rmSync(path, { recursive: true, force: true });
    },
  };
}

const bookings = async ({ supplier, lastName }: Made) => (await simulators().bookings(supplier, lastName)).length;

describeWith('initdb', 'pg_dump')('a database restored from a dump', () => {
  describe('with the journal', () => {
    let drilled: Drill;
    beforeAll(async () => {
      drilled = await drill({});
    });
    afterAll(async () => {
      drilled.client.close();
      await drilled.end();
    });

    const rows = (): { reference: string; verdict: string; number: string | null; here: string | null }[] =>
      JSON.parse(drilled.audit('--json').stdout) as ReturnType<typeof rows>;

    test('no key of a lost booking books again: the answer says that it may be booked and whom to ask', async () => {
      const { client, after } = drilled;
      for (const made of after) {
        const id = made.reservation.reservation_id;
        const answers: HttpAnswer[] = [await create(client, made.body, { key: made.key }), await on(client, 'GET', id)];
        for (const { status, errors, headers } of answers) {
          expect([status, errors[0]?.reason, errors[0]?.cause]).toEqual([500, 'supplier_failure', 'outcome_unknown']);
          expect(errors[0]?.details).toContain(id);
          expect(errors[0]?.details).toContain('operator');
          expect([headers['idempotent-retry'], headers.location]).toEqual([undefined, `/cars/reservation/v1/${id}`]);
        }
        expect(await bookings(made)).toBe(1);
      }
    });

    test('no quote of a lost booking books again, without a key, with its key or with another one', async () => {
      const { client, quoted } = drilled;
      for (const { key, lastName, body, id } of quoted) {
        for (const options of [{}, { key: fresh('key') }, ...(key === undefined ? [] : [{ key }])]) {
          const { status, errors, headers } = await create(client, body, options);
          expect([status, errors[0]?.reason, errors[0]?.cause]).toEqual([500, 'supplier_failure', 'outcome_unknown']);
          expect([headers['idempotent-retry'], headers.location]).toEqual([undefined, `/cars/reservation/v1/${id}`]);
        }
        expect(await simulators().bookings('dune', lastName)).toHaveLength(1);
      }
    });

    test('the log and a metric say how many bookings the database lacks, and which command compares them', async () => {
      expect(await drilled.gateway.metrics()).toMatch(/^forecourt_journal_missing 6$/m);
      await drilled.gateway.child.printed('"missing":6,"command":"gw reservation audit --since 2');
    });

    test('what was booked before the dump is still there, and new keys book', async () => {
      const { client, kept, after } = drilled;
      expect((await on(client, 'GET', kept.reservation_id)).status).toBe(200);
      const lastName = fresh();
      const answer = await create(client, { ...after[0]?.body, driver: driver(lastName) }, { key: fresh('key') });
      expect([answer.status, reservationOf(answer).state]).toEqual([201, 'confirmed']);
    });

    test('another application gets no answer about a lost reservation but the usual 404', async () => {
      const id = drilled.after[0]?.reservation.reservation_id ?? '';
      const answer = await on(drilled.client, 'GET', id, undefined, { application: 'demo-throttled' });
      expect(answer.status).toBe(404);
    });

    test('gw reservation audit reports what is missing here, revived and changed, with exit code 1', () => {
      const { kept, cancelled, changed, after } = drilled;
      expect(drilled.audit('--json').status).toBe(1);
      const verdicts = new Map(rows().map(({ reference, verdict }) => [reference, verdict]));
      expect([kept, cancelled, changed].map(({ reservation_id: id }) => verdicts.get(id))).toEqual([
        'agrees',
        'revived',
        'changed',
      ]);
      expect(after.map(({ supplier, reservation }) => [supplier, verdicts.get(reservation.reservation_id)])).toEqual([
        // Only with the renter's name can these find a booking.
        ['abg', 'cannot check'],
        ['alpine', 'cannot check'],
        ['bravo', 'cannot check'],
        ['dune', 'missing here'],
      ]);
    });

    test('the report has the confirmation number of every lost booking, so that an operator can ask the supplier', () => {
      const numbers = new Map(rows().map(({ reference, number }) => [reference, number]));
      for (const { reservation } of drilled.after)
        expect(numbers.get(reservation.reservation_id)).toBe(reservation.confirmation_number);
    });

    test('the table names only what differs, and the counts go to stderr', () => {
      const { stdout, stderr } = drilled.audit();
      expect(stdout).not.toContain(drilled.kept.reservation_id);
      expect(stdout).toContain(`revived\t${drilled.cancelled.reservation_id}\talpine`);
      expect(stderr).toContain('3 missing here');
    });

    test('the journal has every booking with its number, the cancellation, the change and what was refused; it is for its owner only and has nothing personal', () => {
      const folder = join(drilled.dataFolder, 'journal');
      const files = readdirSync(folder).map((name) => join(folder, name));
      expect([folder, ...files].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, ...files.map(() => 0o600)]);
      const text = files.map((path) => readFileSync(path, 'utf8')).join('');
      const opsOf = ({ reservation_id: id }: Reservation) =>
        [...text.matchAll(/"op":"(\w+)","ref":"(\w+)"/g)].filter(([, , ref]) => ref === id).map(([, op]) => op);
      expect(opsOf(drilled.kept)).toEqual(['book', 'number', 'cancel', 'refused']);
      expect(opsOf(drilled.cancelled)).toEqual(['book', 'number', 'cancel']);
      expect(opsOf(drilled.changed)).toEqual(['book', 'number', 'change', 'refused', 'change']);
      for (const { lastName, key } of drilled.after) {
        expect(text).not.toContain(lastName);
        expect(text).not.toContain(key);
      }
    });
  });

  test('without the journal, every such key and quote books a second time: the drill above proves something', async () => {
    const drilled = await drill({ JOURNAL_DIR: 'off' });
    for (const made of drilled.after) {
      expect((await create(drilled.client, made.body, { key: made.key })).status).toBe(201);
      expect(await bookings(made)).toBe(2);
    }
    for (const { body, lastName } of drilled.quoted) {
      expect((await create(drilled.client, body)).status).toBe(201);
      expect(await simulators().bookings('dune', lastName)).toHaveLength(2);
    }
    drilled.client.close();
    await drilled.end();
  });
});

describe('a journal that cannot be written', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'forecourt-journal-')), 'journal');
  const running = runGateway(() => ({ env: { ...simulators().env, JOURNAL_DIR: folder }, config: QUICK }));
  afterAll(() => rmSync(dirname(folder), { recursive: true, force: true }));

  test('bookings are refused with 503 and not sent; afterwards the same key books, once', async () => {
    const { client } = running();
    const { offer_id } = await offerOf(client, 'dune');
    const [lost, key, lastName] = [fresh(), fresh('key'), fresh()];
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file in place of the folder');
    // The reservation is stored already when the first line fails.
    const first = await create(client, { offer_id, driver: driver(lost) }, { key: fresh('key') });
    const second = await create(client, { offer_id, driver: driver(lastName) }, { key });
    const third = await create(client, { offer_id, driver: driver(lastName) });
    for (const answer of [first, second, third]) {
      expect([answer.status, ...answer.reasons]).toEqual([503, 'maintenance']);
      expect(answer.errors[0]?.details).toContain('journal');
    }
    expect([first, second, third].map(({ headers }) => headers['idempotent-retry'])).toEqual([
      'new-key',
      'same-key',
      undefined,
    ]);
    rmSync(folder);
    const again = await create(client, { offer_id, driver: driver(lastName) }, { key });
    expect(again.status).toBe(201);
    const booked = [await simulators().bookings('dune', lost), await simulators().bookings('dune', lastName)];
    expect(booked.map(({ length }) => length)).toEqual([0, 1]);
  });
});
