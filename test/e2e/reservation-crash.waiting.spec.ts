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
  SUPPLIERS,
  type SupplierId,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;

/** Resolves once the supplier is processing this many calls. */
const busy = (supplier: SupplierId, calls = 1) =>
  eventually(
    () => simulators().stats(supplier),
    ({ open }) => open >= calls,
  );

describeWith('initdb')('killed during bookings, a cancellation and a change', () => {
  const lastName = fresh();
  const key = fresh('key');
  const bodies = new Map<SupplierId, object>();
  let database: TestDatabase;
  let second: Gateway;
  let client: Client;
  let cancelled: { id: string; lastName: string };
  let changed: { id: string; lastName: string };
  let longOver: string;

  beforeAll(async () => {
    database = await freshDatabase();
    const env = { ...simulators().env, DATABASE_URL: database.url, FORECOURT_SECRET: SECRET };
    const options = { env, config: QUICK };
    const first = await startGateway(options);
    const before = await Client.of(first);
    for (const supplier of SUPPLIERS) {
      const { offer_id } = await offerOf(before, supplier);
      bodies.set(supplier, { offer_id, driver: driver(lastName) });
    }
    const { offer_id } = await offerOf(before, 'bravo');
    const stand = async (name: string) => ({
      id: (await booked(before, { offer_id, driver: driver(name), client_reference: name })).reservation_id,
      lastName: name,
    });
    [cancelled, changed] = [await stand(fresh()), await stand(fresh())];
    longOver = (await stand(fresh())).id;
    const lost: Promise<unknown>[] = [
      ...SUPPLIERS.map((supplier) =>
        create(before, bodies.get(supplier) ?? {}, { key: `${key}-${supplier}`, scenario: '*=slow(1000)' }),
      ),
      on(before, 'DELETE', cancelled.id, undefined, { scenario: '*=slow(1000)' }),
      on(before, 'PATCH', changed.id, { remark: 'Three cases' }, { scenario: '*=slow(1000)' }),
    ];
    const ended = Promise.allSettled(lost);
    // Before it is sent, a change looks the booking up.
    await eventually(
      () => database.query('select state from reservations where id = $1', [changed.id]),
      ([row]) => row?.state === 'modify_pending',
    );
    await Promise.all(SUPPLIERS.map((supplier) => busy(supplier, supplier === 'bravo' ? 3 : 1)));
    await first.child.stop('SIGKILL');
    before.close();
    const results = await ended;
    if (results.some(({ status }) => status === 'fulfilled'))
      throw new Error('the gateway answered before it was killed');
    await database.query(
      `update reservations set rental = jsonb_set(rental::jsonb, '{dropoffDate}', '"2020-05-01T10:00:00"')::json where id = $1`,
      [longOver],
    );
    second = await startGateway(options);
    client = await Client.of(second);
  });
  afterAll(async () => {
    client.close();
    await second.stop();
    await database.dispose();
  });

  /** The reservation that the repeated request returns, once it is resolved. */
  const cleared = async (supplier: SupplierId) => {
    const answer = await create(client, bodies.get(supplier) ?? {}, { key: `${key}-${supplier}` });
    const { reservation_id: id } = reservationOf(answer);
    return settled(client, id, ['confirmed', 'failed', 'manual_review'], 20_000);
  };

  test.each(['alpine', 'bravo'] as const)(
    '%s carried it out: the next gateway finds and confirms it, and does not book again',
    async (supplier) => {
      const after = await cleared(supplier);
      expect(path(after)).toBe('pending unknown confirmed');
      expect(await simulators().bookings(supplier, lastName)).toMatchObject([
        { confirmation: after.confirmation_number, reference: after.reservation_id },
      ]);
      const again = await create(client, bodies.get(supplier) ?? {}, { key: `${key}-${supplier}` });
      expect([again.headers['idempotent-replayed'], reservationOf(again).reservation_id]).toEqual([
        'true',
        after.reservation_id,
      ]);
    },
  );

  test('dune only held the car: the hold is released, nothing is booked, and the repeated request says so', async () => {
    await eventually(
      async () => (await simulators().holds('dune')).filter((hold) => hold.lastName === lastName),
      (holds) => holds.length === 0,
      20_000,
    );
    const ask = () => create(client, bodies.get('dune') ?? {}, { key: `${key}-dune` });
    const answer = await ask();
    if (answer.status === 202)
      expect((await settled(client, reservationOf(answer).reservation_id, ['failed'])).state).toBe('failed');
    else expect([answer.status, answer.errors[0]?.cause]).toEqual([500, 'not_booked']);
    expect([(await ask()).text, await simulators().bookings('dune', lastName)]).toEqual([answer.text, []]);
  });

  test('abg cannot be queried: a person must resolve it, and it is not booked again', async () => {
    expect(path(await cleared('abg'))).toBe('pending unknown manual_review');
    expect(await simulators().bookings('abg', lastName)).toHaveLength(1);
  });

  test('the cancellation is sent again and resolved', async () => {
    const after = await settled(client, cancelled.id, ['cancelled', 'confirmed', 'manual_review'], 20_000);
    expect([path(after), (await simulators().bookings('bravo', cancelled.lastName))[0]?.status]).toEqual([
      'pending confirmed cancel_pending cancel_unknown cancelled',
      'cancelled',
    ]);
  });

  test('the change is sent again and resolved', async () => {
    const after = await settled(client, changed.id, ['confirmed', 'manual_review'], 20_000);
    expect([path(after), after.remark]).toEqual(['pending confirmed modify_pending unknown confirmed', 'Three cases']);
    expect(await simulators().bookings('bravo', changed.lastName)).toMatchObject([{ remark: 'Three cases' }]);
  });

  claim(
    ['personal-data', 'V14.2.4'],
    "Renters' data is erased automatically after the retention time, which begins when the rental ends.",
    async () => {
      // Ten seconds after a start, which the other tests fill.
      const erased = await eventually(
        () => read(client, longOver),
        ({ driver: renter }) => renter === null,
      );
      expect(erased.client_reference).toBeUndefined();
      expect(erased.history.at(-1)).toMatchObject({
        actor: 'gateway',
        reason: 'personal data erased after its retention time',
      });
      expect((await read(client, changed.id)).driver).not.toBeNull();
    },
  );

  test('last, SIGTERM during bookings: each is completed and answered before the process exits', async () => {
    const renter = fresh();
    const offers = await Promise.all(SUPPLIERS.map((supplier) => offerOf(client, supplier)));
    const pending: Promise<HttpAnswer>[] = offers.map(({ offer_id }) =>
      create(client, { offer_id, driver: driver(renter) }, { scenario: '*=slow(900)' }),
    );
    await Promise.all(SUPPLIERS.map((supplier) => busy(supplier)));
    const code = await second.child.stop();
    const answers = await Promise.all(pending);
    expect([code, answers.map(({ status }) => status)]).toEqual([0, SUPPLIERS.map(() => 201)]);
    for (const supplier of SUPPLIERS) expect(await simulators().bookings(supplier, renter)).toHaveLength(1);
  });
});
