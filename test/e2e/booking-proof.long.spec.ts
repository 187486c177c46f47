import { setTimeout as wait } from 'node:timers/promises';
import { createCall, readKept } from '../proof/customer.js';
import { COUNTS } from '../proof/judge.js';
import { OfferPool } from '../proof/offers.js';
import { planIntent, SETTLE_MS, SUPPLIERS } from '../proof/plan.js';
import { clientOf, runProof } from '../proof/proof.js';
import { reportLines } from '../proof/report.js';
import { type ProofWorld, startWorld } from '../proof/world.js';
import { describeWith } from '../support/binaries.js';

describeWith('redis-server', 'initdb')('bookings over two gateways that crash', () => {
  let world: ProofWorld;
  beforeAll(async () => {
    world = await startWorld();
  }, 60_000);
  afterAll(() => world.dispose(), 30_000);

  test.each(SUPPLIERS)(
    '%s: 100 concurrent creates with one key over both → one booking, 100 identical answers',
    async (supplier) => {
      const client = await clientOf(world);
      const plan = {
        ...planIntent(1, 0),
        key: `hundred-${supplier}`,
        supplier,
        fault: { name: 'slow', verb: 'slow(300)' },
        anyPrice: false,
      };
      const create = createCall(plan, await new OfferPool(client).take(supplier, 0));
      // A busy gateway may refuse some (503); they are sent again.
      const send = (_: unknown, at: number) => client.insist(at, create, () => undefined);
      const replies = await Promise.all(Array.from({ length: 100 }, send));
      expect([...new Set(replies.map((reply) => `${reply?.status} ${reply?.text}`))]).toHaveLength(1);
      expect([
        replies[0]?.status,
        replies.filter((reply) => reply?.headers['idempotent-replayed'] === 'true').length,
      ]).toEqual([201, 99]);
      const { reservation } = JSON.parse(replies[0]?.text ?? '') as { reservation: { reservation_id: string } };
      const booked = (await world.books())[supplier]?.filter(
        ({ reference }) => reference === reservation.reservation_id,
      );
      expect(booked?.filter(({ status }) => status === 'confirmed')).toHaveLength(1);
      const rows = await world.query('select id from reservations where client_reference = $1', [plan.key]);
      expect(rows).toEqual([{ id: reservation.reservation_id }]);
      client.close();
    },
    30_000,
  );

  test('a change that a supplier carries out late never undoes a later one', async () => {
    const changedTwice = async (supplier: (typeof SUPPLIERS)[number]) => {
      const client = await clientOf(world);
      const plan = {
        ...planIntent(1, 0),
        key: `late-change-${supplier}`,
        supplier,
        fault: { name: 'none' },
        anyPrice: false,
      };
      const offer = await new OfferPool(client).take(supplier, 0);
      const created = await client.insist(0, createCall(plan, offer), () => undefined);
      const { reservation } = JSON.parse(created?.text ?? '') as { reservation: { reservation_id: string } };
      const path = `/cars/reservation/v1/${reservation.reservation_id}`;
      const change = (remark: string, headers = {}) =>
        client.send(0, { method: 'PATCH', path, body: { remark }, headers });
      expect((await change('first', { 'x-sandbox-scenario': `${supplier}=slow(3000)` }))?.status).toBe(500);
      const end = Date.now() + 15_000;
      let second = await change('second');
      while (second?.status === 400 && Date.now() < end) {
        await wait(100);
        second = await change('second');
      }
      expect(second?.status).toBe(204);
      await wait(SETTLE_MS);
      const booked = (await world.books())[supplier]?.find(({ reference }) => reference === reservation.reservation_id);
      const kept = await readKept(reservation.reservation_id, 1, client);
      client.close();
      return [supplier, booked?.remark, kept?.remark];
    };
    // Two dialects concurrently: each waits for the time after which a lost change counts as lost.
    expect(await Promise.all((['alpine', 'abg'] as const).map(changedTwice))).toEqual([
      ['alpine', 'second', 'second'],
      ['abg', 'second', 'second'],
    ]);
  }, 40_000);

  test('120 bookings with faults of every kind, kills, pauses, wrong clocks and outages: none duplicated, none lost (10,000: npm run proof:booking)', async () => {
    const strikes = { kills: 2, databaseRestarts: 1, fullDisks: 1, clockSteps: 1, pauses: 1, restores: 1 };
    const options = { bookings: 120, seed: 7, strikes, concurrency: 32, tell: () => undefined };
    const result = await runProof(world, options);
    console.log(reportLines(result).join('\n'));
    // A run with few bookings would prove little; the restore loses some, and on a busy machine more time out.
    for (const supplier of SUPPLIERS) {
      const confirmed = result.evidence.reservations.filter(
        (one) => one.supplier === supplier && one.state === 'confirmed',
      );
      expect([supplier, confirmed.length >= 3]).toEqual([supplier, true]);
    }
    expect(result.strikes).toMatchObject(strikes);
    expect(COUNTS.flatMap((count) => result.verdict[count])).toEqual([]);
  }, 300_000);
});
