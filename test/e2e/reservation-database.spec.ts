import { setTimeout as wait } from 'node:timers/promises';
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
  RESERVATIONS,
  read,
  reservationOf,
  SECRET,
  type SupplierId,
  settled,
} from '../support/booking.js';
import { claim } from '../support/claim.js';
import { Client, type HttpAnswer, type Offer } from '../support/client.js';
import { gwInThread } from '../support/gw.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

const shared = sharedGateway();
const simulators = () => shared().simulators;

describeWith('initdb')('two gateways on one PostgreSQL', () => {
  let postgres: PostgresServer;
  let gateways: readonly Gateway[] = [];
  let a: Client;
  let b: Client;
  let offers: Record<'alpine' | 'dune', Offer>;
  beforeAll(async () => {
    postgres = await startPostgres('migrated');
    const env = { ...simulators().env, DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET };
    gateways = await Promise.all([startGateway({ env, config: QUICK }), startGateway({ env, config: QUICK })]);
    [a, b] = (await Promise.all(gateways.map((gateway) => Client.of(gateway)))) as [Client, Client];
    offers = { alpine: await offerOf(a, 'alpine'), dune: await offerOf(a, 'dune') };
    await b.token();
  });
  afterAll(async () => {
    a.close();
    b.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await postgres.dispose();
  });

  const bodyFor = (lastName: string, supplier: 'alpine' | 'dune' = 'alpine') => ({
    offer_id: offers[supplier].offer_id,
    driver: driver(lastName),
  });
  /**
   * Resolves to a function that waits for the next slow call, or as many as `calls`: not the quick price check before it, nor leftovers of an
   * earlier test.
   */
  const nextSlowCall = async (supplier: SupplierId, calls = 1): Promise<() => Promise<unknown>> => {
    const slowCalls = async (): Promise<number> => (await simulators().stats(supplier)).byVerb.slow ?? 0;
    const before = await slowCalls();
    return () => eventually(slowCalls, (count) => count >= before + calls);
  };

  claim(
    ['API6', 'V2.3.4'],
    'Twenty concurrent requests with one Idempotency-Key over two gateways make one booking and get the same response.',
    async () => {
      const [lastName, key] = [fresh(), fresh('key')];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => create(index % 2 ? a : b, bodyFor(lastName), { key })),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined)).toHaveLength(1);
      expect(await simulators().bookings('alpine', lastName)).toHaveLength(1);
    },
  );

  test('while one gateway books, a repetition on the other waits and gets the same answer', async () => {
    const [lastName, key] = [fresh(), fresh('key')];
    const options = { key, scenario: 'dune=slow(500)' };
    const isUnderWay = await nextSlowCall('dune');
    const first = create(a, bodyFor(lastName, 'dune'), options);
    await isUnderWay();
    const second = await create(b, bodyFor(lastName, 'dune'), options);
    expect([(await first).status, second.text]).toEqual([201, (await first).text]);
    expect(await simulators().bookings('dune', lastName)).toHaveLength(1);
  });

  test("either gateway reads, changes and cancels the other's bookings; two concurrent cancellations call the supplier once", async () => {
    const { reservation_id: id } = await booked(a, bodyFor(fresh()));
    expect((await on(b, 'PATCH', id, { remark: 'Three cases' })).status).toBe(204);
    expect((await read(a, id)).remark).toBe('Three cases');
    const calls = await simulators().calls();
    const answers = await Promise.all([on(a, 'DELETE', id), on(b, 'DELETE', id)]);
    expect([answers.map(({ status }) => status), (await simulators().calls()) - calls]).toEqual([[204, 204], 1]);
  });

  claim(
    ['API6', 'V2.3.4'],
    'One of two concurrent changes of a reservation over two gateways is made, and the other is rejected.',
    async () => {
      const { reservation_id: id } = await booked(a, bodyFor(fresh()));
      // Slow, so that neither completes before the other starts.
      const options = { scenario: 'alpine=slow(400)' };
      const answers = await Promise.all([
        on(a, 'PATCH', id, { remark: 'a' }, options),
        on(b, 'PATCH', id, { remark: 'b' }, options),
      ]);
      const [made] = answers.filter(({ status }) => status === 204);
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
      expect((await read(a, id)).remark).toBe(made === answers[0] ? 'a' : 'b');
    },
  );

  test('a lost booking is resolved once, whichever gateway finds it', async () => {
    const lastName = fresh();
    const answer = await create(a, bodyFor(lastName), { scenario: 'alpine=lost_then_found' });
    const after = await settled(b, reservationOf(answer).reservation_id, ['confirmed', 'failed', 'manual_review']);
    expect(path(after)).toBe('pending unknown confirmed');
  });

  test('a manual resolution takes effect immediately: the reservation is confirmed and can be cancelled', async () => {
    const lastName = fresh();
    const { offer_id } = await offerOf(a, 'abg');
    const answer = await create(a, { offer_id, driver: driver(lastName) }, { scenario: 'abg=lost_then_found' });
    const { reservation_id: id } = await settled(a, reservationOf(answer).reservation_id, ['manual_review']);
    const [booking] = await simulators().bookings('abg', lastName);
    const found = [
      '--as',
      'confirmed',
      '--confirmation-number',
      booking?.confirmation ?? '',
      '--reason',
      'asked by phone',
    ];
    expect(
      gwInThread(['reservation', 'resolve', id, ...found], { DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET })
        .status,
    ).toBe(0);
    const after = await read(b, id);
    expect([path(after), after.confirmation_number]).toEqual([
      'pending unknown manual_review confirmed',
      booking?.confirmation,
    ]);
    expect(after.history.at(-1)).toMatchObject({ actor: 'ops', reason: 'asked by phone' });
    expect((await on(b, 'DELETE', id)).status).toBe(204);
    expect(await simulators().bookings('abg', lastName)).toMatchObject([{ status: 'cancelled' }]);
  });

  test.each([[true], [false]])(
    'a confirmed reservation that was cancelled by phone is recorded as cancelled, erased = %s',
    async (isErased) => {
      const env = { DATABASE_URL: postgres.url, FORECOURT_SECRET: SECRET };
      const { reservation_id: id } = await booked(a, bodyFor(fresh()));
      if (isErased) expect(gwInThread(['reservation', 'erase', id, '--force'], env).status).toBe(0);
      const calls = await simulators().calls();
      const resolved = gwInThread(
        ['reservation', 'resolve', id, '--as', 'cancelled', '--reason', 'cancelled by phone'],
        env,
      );
      expect([resolved.status, resolved.stdout.trim()]).toEqual([0, `${id}: confirmed → cancelled`]);
      const after = await read(b, id);
      expect([after.state, !after.driver]).toEqual(['cancelled', isErased]);
      expect(after.history.slice(-2)).toMatchObject([
        { to: 'manual_review', actor: 'ops', reason: 'cancelled by phone' },
        { to: 'cancelled', actor: 'ops', reason: 'cancelled by phone' },
      ]);
      expect([(await on(b, 'DELETE', id)).status, await simulators().calls()]).toEqual([204, calls]);
      const again = gwInThread(['reservation', 'resolve', id, '--as', 'failed', '--reason', 'changed my mind'], env);
      expect([again.status, again.stderr]).toEqual([2, expect.stringContaining(`${id} is cancelled`)]);
    },
  );

  describe('PostgreSQL unavailable', () => {
    test('every reservation operation is a 503 with Retry-After and doesn’t call a supplier; search works; afterwards, so do they', async () => {
      const { reservation_id: id, confirmation_number: number } = await booked(a, bodyFor(fresh()));
      const lastName = fresh();
      await postgres.stop();
      const calls = await simulators().calls();
      const answers: HttpAnswer[] = [
        await create(a, bodyFor(lastName)),
        await create(a, bodyFor(lastName), { key: fresh('key') }),
        await on(a, 'GET', id),
        await on(a, 'GET', `?confirmation_number=${number}`),
        await on(a, 'PATCH', id, { remark: 'x' }),
        await on(a, 'PUT', id, { offer_id: offers.alpine.offer_id }),
        await on(a, 'DELETE', id),
      ];
      const callsAfter = await simulators().calls();
      const search = await a.get(vehiclesPath({ brand: 'Alpine' }));
      await postgres.start();
      expect(answers.map(({ status, reasons }) => [status, ...reasons])).toEqual(
        answers.map(() => [503, 'maintenance']),
      );
      for (const answer of answers) expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      expect([callsAfter, search.status]).toEqual([calls, 200]);
      expect(await simulators().bookings('alpine', lastName)).toEqual([]);
      expect((await create(a, bodyFor(lastName))).status).toBe(201);
      expect((await on(a, 'DELETE', id)).status).toBe(204);
    });

    describe('while a supplier books and cancels', () => {
      const [lastName, key, cancelled] = [fresh(), fresh('key'), fresh()];
      let id: string;
      let booking: HttpAnswer;
      let cancellation: HttpAnswer;
      beforeAll(async () => {
        id = (await booked(a, bodyFor(cancelled))).reservation_id;
        const areUnderWay = await nextSlowCall('alpine', 2);
        const pending = [
          create(a, bodyFor(lastName), { key, scenario: 'alpine=slow(1200)' }),
          on(a, 'DELETE', id, undefined, { scenario: 'alpine=slow(1200)' }),
        ] as const;
        await areUnderWay();
        await postgres.stop();
        [booking, cancellation] = await Promise.all(pending);
        await postgres.start();
      });

      claim(
        ['operation', 'V2.3.3'],
        "If the database fails while a supplier books, the caller gets 503, and the supplier's response is stored once the database is back: the same key then gets it.",
        async () => {
          expect([booking.status, booking.errors[0]?.cause]).toEqual([503, 'outcome_unknown']);
          expect([booking.headers['retry-after'], booking.headers['idempotent-retry']]).toEqual(['5', 'same-key']);
          const made = String(booking.headers.location).slice(RESERVATIONS.length);
          const after = await settled(b, made, ['confirmed', 'failed', 'manual_review']);
          expect([path(after), (await simulators().bookings('alpine', lastName)).length]).toEqual([
            'pending confirmed',
            1,
          ]);
          const again = await create(b, bodyFor(lastName), { key });
          expect([
            again.status,
            reservationOf(again).reservation_id,
            (await simulators().bookings('alpine', lastName)).length,
          ]).toEqual([201, after.reservation_id, 1]);
        },
      );

      test('an outage while the supplier cancels: no answer claims a failure, and both sides end as cancelled', async () => {
        expect([cancellation.status, cancellation.errors[0]?.cause]).toEqual([500, 'outcome_unknown']);
        const after = await settled(b, id, ['cancelled', 'confirmed', 'manual_review']);
        expect([path(after), (await simulators().bookings('alpine', cancelled))[0]?.status]).toEqual([
          'pending confirmed cancel_pending cancelled',
          'cancelled',
        ]);
      });
    });

    test('a short outage after the supplier booked is invisible to the caller', async () => {
      const lastName = fresh();
      const isUnderWay = await nextSlowCall('alpine');
      const pending = create(a, bodyFor(lastName), { scenario: 'alpine=slow(700)' });
      await isUnderWay();
      await postgres.stop();
      await wait(900);
      await postgres.start();
      const answer = await pending;
      expect([answer.status, reservationOf(answer).state]).toEqual([201, 'confirmed']);
    });
  });
});
