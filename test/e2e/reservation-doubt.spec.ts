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
  RESERVATIONS,
  read,
  reservationOf,
  SECRET,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client } from '../support/client.js';
import { type Cutter, startCutter } from '../support/cut-connection.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;
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

  const stored = (key: string) =>
    database.query('select id, state from reservations where client_reference = $1', [key]);
  const book = (lastName: string, key: string, hasKey: boolean) =>
    create(client, { offer_id: offerId, driver: driver(lastName), client_reference: key }, hasKey ? { key } : {});

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
});
