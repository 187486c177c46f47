import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { metrics } from '../metrics/metrics.js';
import type { BookingKey, ModifyRequest, SupplierBooking } from '../model/bookings.js';
import {
  type Fault,
  type Refusal,
  type SupplierAdapter,
  type SupplierContext,
  SupplierError,
} from '../model/supplier.js';
import type { Supplier, SupplierRegistry } from '../suppliers/registry.js';
import type { SupplierCalls } from '../suppliers/supplier-call.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { MemoryRepository } from './fixtures/memory-repository.js';
import {
  MADE_AT,
  reservationIn,
  samplePersonal,
  sampleRental,
  sampleReservation,
  sampleView,
} from './fixtures/sample-reservation.js';
import { Reconciler } from './reconciler.js';
import { type Change, moved, type Patch, type Reservation } from './reservation.js';
import { ReservationWriter } from './reservation-writer.js';
import type { State } from './states.js';

const SETTLE_MS = 120_000;
const REVIEW_MS = 1_800_000;
const booking: SupplierBooking = { status: 'confirmed', confirmationNumber: 'CN1', ref: { booking: 'B1' } };
const change: Change = {
  kinds: ['remark', 'extras'],
  rental: { ...sampleRental, extras: [] },
  view: { ...sampleView, rental_days: 9 },
  personal: { ...samplePersonal, remark: 'Another wish' },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What the supplier does when it is asked; absent = it knows nothing, refuses nothing. */
interface Play {
  retrieve?(key: BookingKey): readonly SupplierBooking[];
  cancel?(key: BookingKey): void;
  modify?(request: ModifyRequest): SupplierBooking;
  readonly findsByReference?: boolean;
  readonly gone?: boolean;
}

function world(play: Play, ...reservations: readonly Reservation[]) {
  const asked: string[] = [];
  const requestIds: string[] = [];
  const traits = {
    takesCards: false,
    takesVouchers: false,
    takesExtras: true,
    takesCoverages: true,
    changes: ['remark', 'extras'],
  } as const;
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    booking: { findsByReference: play.findsByReference ?? true, ...traits },
    retrieve: async (key) => ({ items: play.retrieve?.(key) ?? [], warnings: [] }),
    cancel: async (key) => {
      play.cancel?.(key);
      return { fee: { amountMinor: 500, currency: 'USD' } };
    },
    modify: async (request) => play.modify?.(request) ?? { ...booking, confirmationNumber: request.confirmationNumber },
  };
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno Cars', adapter: 'fake', brands: ['Uno'] });
  const connection = new SupplierConnection(config, adapter, 'http://127.0.0.1:9');
  closing.push(() => connection.close());
  const supplier: Supplier = { id: 'uno', name: 'Uno Cars', config, connection };
  const registry = {
    suppliers: [supplier],
    byId: () => (play.gone ? undefined : supplier),
  } as unknown as SupplierRegistry;
  const calls: Pick<SupplierCalls, 'call'> = {
    call: async (of, operation, { id }, run) => {
      asked.push(operation);
      requestIds.push(id);
      return run(of.connection.adapter, {} as SupplierContext);
    },
  };
  const lines: string[] = [];
  const logger = pino(
    { level: 'error' },
    { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const repository = new MemoryRepository().has(...reservations);
  const keeper = new ReservationWriter(repository.asRepository, logger);
  const settings = configSchema.parse({ reservations: { checkEveryMs: 50 } });
  const reconciler = new Reconciler(
    registry,
    calls as SupplierCalls,
    repository.asRepository,
    keeper,
    settings,
    logger,
  );
  const now = (id: string): Reservation => {
    const found = repository.reservations.get(id);
    if (!found) throw new Error('it is not there');
    return found;
  };
  return { reconciler, repository, asked, requestIds, lines, now };
}

/** A reservation that is due, whose last call ended `ageMs` ago. */
function due(state: State, ageMs = 0, patch: Patch = {}, changes: Partial<Reservation> = {}): Reservation {
  const made = reservationIn(state, patch, changes);
  return { ...made, nextCheckAt: Date.now() - 1, sentUntil: Date.now() - ageMs, updatedAt: Date.now() - ageMs };
}

/** Looks once and gives what became of the reservation. */
async function looked(play: Play, reservation: Reservation) {
  const { reconciler, now, asked, lines } = world(play, reservation);
  expect(await reconciler.lookOnce()).toBe(1);
  return { after: now(reservation.id), asked, lines };
}

function fail(fault: Fault, refusal?: Refusal): never {
  throw new SupplierError(fault, 'no', true, { refusal });
}

async function doubles(): Promise<number> {
  const text = await metrics.getSingleMetricAsString('forecourt_double_bookings_total');
  return Number(/supplier="uno"\} (\d+)/.exec(text)?.[1] ?? 0);
}

describe('what a gateway left behind when it died', () => {
  it('a booking under way is looked for, and confirmed when the supplier has it', async () => {
    const { after, asked } = await looked({ retrieve: () => [booking] }, due('pending'));
    expect(asked).toEqual(['retrieve']);
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1', version: 3 });
    expect(after.history.slice(1)).toMatchObject([
      { from: 'pending', to: 'unknown', actor: 'reconciler' },
      { from: 'unknown', to: 'confirmed', actor: 'reconciler' },
    ]);
    expect(after).not.toHaveProperty('nextCheckAt');
  });

  it('a change under way is asked for once more', async () => {
    const { after, asked } = await looked(
      {},
      due('modify_pending', SETTLE_MS + 1_000, { change, confirmationNumber: 'CN1' }),
    );
    expect(asked).toEqual(['modify']);
    expect(after).toMatchObject({ state: 'confirmed', view: { rental_days: 9 }, personal: { remark: 'Another wish' } });
  });

  it('a cancellation under way is asked for once more', async () => {
    const { after, asked } = await looked({}, due('cancel_pending', 0, { confirmationNumber: 'CN1' }));
    expect(asked).toEqual(['cancel']);
    expect(after).toMatchObject({ state: 'cancelled', cancellation: { fee: { amountMinor: 500 } } });
  });
});

describe('a booking that nobody knows of', () => {
  it.each([
    [SETTLE_MS - 5_000, 'unknown'],
    [SETTLE_MS + 5_000, 'failed'],
  ] as const)('that the supplier does not have, %i ms after the call: %s', async (ageMs, state) => {
    expect((await looked({}, due('unknown', ageMs))).after.state).toBe(state);
  });

  it.each([
    [REVIEW_MS - 5_000, 'unknown'],
    [REVIEW_MS + 5_000, 'manual_review'],
  ] as const)('of a supplier that cannot be asked, %i ms after the call: %s', async (ageMs, state) => {
    const { after, lines } = await looked({ retrieve: () => fail('unavailable') }, due('unknown', ageMs));
    expect(after.state).toBe(state);
    expect(lines.includes('a person must clear this reservation: gw reservation resolve')).toBe(
      state === 'manual_review',
    );
  });

  it('of a supplier that finds nothing without a number goes to a person at once, unasked', async () => {
    const { after, asked } = await looked({ findsByReference: false }, due('unknown'));
    expect([after.state, asked, after.nextCheckAt]).toEqual(['manual_review', [], undefined]);
  });

  it('is looked for by its number where that is known', async () => {
    const { after } = await looked(
      { findsByReference: false, retrieve: () => [booking] },
      due('unknown', 0, { confirmationNumber: 'CN1' }),
    );
    expect(after.state).toBe('confirmed');
  });

  it('that the supplier must accept by hand is looked at again soon', async () => {
    const { after } = await looked(
      { retrieve: () => [{ ...booking, status: 'on_request' }] },
      { ...due('unknown'), checks: 9 },
    );
    expect(after).toMatchObject({ state: 'on_request', checks: 0 });
    expect(after.nextCheckAt).toBeLessThanOrEqual(Date.now() + 2_000);
  });

  it('that exists twice goes to a person, is counted and cried out', async () => {
    const before = await doubles();
    const { after, lines } = await looked(
      { retrieve: () => [booking, { ...booking, confirmationNumber: 'CN2' }] },
      due('unknown'),
    );
    expect(after).toMatchObject({ state: 'manual_review' });
    expect(after.history.at(-1)?.reason).toContain('2 active bookings');
    expect(lines.join()).toContain('DOUBLE BOOKING');
    expect(await doubles()).toBe(before + 1);
  });

  it.each(['cancelled', 'rejected'] as const)(
    'is no double beside one that is %s: only active ones count',
    async (status) => {
      const before = await doubles();
      const { after } = await looked(
        { retrieve: () => [{ ...booking, status, confirmationNumber: 'CN0' }, booking] },
        due('unknown'),
      );
      expect([await doubles(), after.state]).toEqual([before, 'confirmed']);
    },
  );
});

describe('a hold that was never confirmed', () => {
  const held = (): readonly SupplierBooking[] => [{ status: 'held', ref: { holdId: 'H1' } }];

  it('is released; then the booking was certainly not made', async () => {
    const { after, asked } = await looked({ retrieve: held }, due('unknown'));
    expect([asked, after.state, after.nextCheckAt]).toEqual([['retrieve', 'cancel'], 'failed', undefined]);
  });

  it('is released by what the supplier says that further calls need', async () => {
    const keys: BookingKey[] = [];
    await looked({ retrieve: held, cancel: (key) => void keys.push(key) }, due('unknown'));
    expect(keys).toMatchObject([{ ref: { holdId: 'H1' } }]);
  });

  it.each<[Fault, Refusal | undefined, State]>([
    ['rejected', 'not_found', 'failed'],
    ['rejected', undefined, 'unknown'],
    ['throttled', undefined, 'unknown'],
    ['timeout', undefined, 'unknown'],
  ])('whose release ended with %s (%s) leaves the reservation %s', async (fault, refusal, state) => {
    const { after } = await looked({ retrieve: held, cancel: () => fail(fault, refusal) }, due('unknown'));
    expect(after.state).toBe(state);
    expect(after.nextCheckAt !== undefined).toBe(state === 'unknown');
  });
});

describe('a cancellation whose answer was lost', () => {
  it('is asked for again and again until it is clear', async () => {
    let times = 0;
    const reservation = due('cancel_unknown', 0, { confirmationNumber: 'CN1' });
    const cancel = () => {
      times += 1;
      if (times < 3) fail('timeout');
    };
    const { reconciler, repository, now } = world({ cancel }, reservation);
    for (let i = 0; i < 3; i += 1) {
      await reconciler.lookOnce();
      const { id, ...rest } = now(reservation.id);
      if (rest.nextCheckAt !== undefined) repository.has({ id, ...rest, nextCheckAt: Date.now() - 1 });
    }
    expect([times, now(reservation.id).state]).toEqual([3, 'cancelled']);
  });

  it('that is refused leaves what was: confirmed, never looked at again', async () => {
    const refusing = { cancel: () => fail('rejected', 'not_changeable') };
    const { after } = await looked(refusing, due('cancel_unknown', SETTLE_MS + 1_000));
    expect([after.state, after.nextCheckAt]).toEqual(['confirmed', undefined]);
    // Before, the first request may still be carried out.
    expect((await looked(refusing, due('cancel_unknown'))).after.state).toBe('cancel_unknown');
  });

  it('that is refused leaves what was: on request, looked at as before', async () => {
    let requested = reservationIn('on_request', { confirmationNumber: 'CN1' });
    for (const to of ['cancel_pending', 'cancel_unknown'] as const) {
      requested = moved(requested, { to, actor: 'gateway', reason: 'x', at: MADE_AT + 9_000 });
    }
    const reservation = { ...requested, nextCheckAt: Date.now() - 1, sentUntil: Date.now() - SETTLE_MS - 1_000 };
    const { after } = await looked({ cancel: () => fail('rejected', 'not_changeable') }, reservation);
    expect(after).toMatchObject({ state: 'on_request', nextCheckAt: expect.any(Number) });
  });

  it('of a booking that the supplier does not know goes to a person', async () => {
    const { after } = await looked({ cancel: () => fail('rejected', 'not_found') }, due('cancel_unknown'));
    expect(after.state).toBe('manual_review');
  });

  it.each(['cancelled', 'rejected'] as const)('of a booking that the supplier shows as %s is done', async (status) => {
    const play: Play = { cancel: () => fail('rejected', 'not_found'), retrieve: () => [{ ...booking, status }] };
    expect((await looked(play, due('cancel_unknown', 0, { confirmationNumber: 'CN1' }))).after.state).toBe('cancelled');
  });
});

describe('a change whose answer was lost', () => {
  const unclear = (ageMs = SETTLE_MS + 1_000) => {
    const pending = reservationIn('modify_pending', { change, confirmationNumber: 'CN1' });
    const unknown = moved(pending, { to: 'unknown', actor: 'gateway', reason: 'no clear answer', at: MADE_AT + 9_000 });
    return { ...unknown, nextCheckAt: Date.now() - 1, sentUntil: Date.now() - ageMs, updatedAt: Date.now() - ageMs };
  };

  it('is left alone until the first request cannot be carried out late any more', async () => {
    const { after, asked } = await looked({}, unclear(SETTLE_MS - 5_000));
    expect([asked, after.state]).toEqual([[], 'unknown']);
    expect(after.nextCheckAt).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  it('and whose repetition is lost, too, is left alone for as long again', async () => {
    const { after } = await looked({ modify: () => fail('timeout') }, unclear());
    expect(after.sentUntil).toBeGreaterThan(Date.now() - 1_000);
  });

  it('is asked for once more, in whole, under the same number; done is done', async () => {
    const requests: ModifyRequest[] = [];
    const modify = (request: ModifyRequest): SupplierBooking => {
      requests.push(request);
      return { status: 'confirmed', ref: {} };
    };
    const reservation = unclear();
    const { after } = await looked({ modify }, reservation);
    expect(requests).toMatchObject([
      {
        reference: reservation.id,
        confirmationNumber: 'CN1',
        changes: ['remark', 'extras'],
        extras: [],
        remark: 'Another wish',
      },
    ]);
    expect(after).toMatchObject({
      state: 'confirmed',
      confirmationNumber: 'CN1',
      rental: { extras: [] },
      view: { ...sampleView, rental_days: 9 },
    });
    expect('change' in after || 'nextCheckAt' in after).toBe(false);
  });

  it('that is refused the second time goes to a person: nobody knows what the first request did', async () => {
    const { after } = await looked({ modify: () => fail('rejected', 'not_changeable') }, unclear());
    expect(after).toMatchObject({
      state: 'manual_review',
      confirmationNumber: 'CN1',
      rental: sampleRental,
      personal: samplePersonal,
    });
  });

  it.each<[Fault, Refusal | undefined, number, State]>([
    ['rejected', 'not_found', SETTLE_MS, 'manual_review'],
    ['timeout', undefined, SETTLE_MS, 'unknown'],
    ['throttled', undefined, REVIEW_MS - 5_000, 'unknown'],
    ['throttled', undefined, REVIEW_MS + 5_000, 'manual_review'],
    ['bad_payload', undefined, REVIEW_MS + 5_000, 'manual_review'],
  ])('%s (%s), %i ms after the call: %s', async (fault, refusal, ageMs, state) => {
    expect((await looked({ modify: () => fail(fault, refusal) }, unclear(ageMs))).after.state).toBe(state);
  });

  it('that was booked at the accepted total leaves no price drift of the version before', async () => {
    const priceDrift = { accepted: sampleRental.total, actual: { amountMinor: 14_000, currency: 'USD' } };
    const { after } = await looked(
      { modify: () => ({ ...booking, total: change.rental.total }) },
      { ...unclear(), priceDrift },
    );
    expect(after).not.toHaveProperty('priceDrift');
  });

  it('and whose data were erased is looked up instead', async () => {
    const { change: _change, personal: _personal, ...erased } = unclear();
    const { after, asked } = await looked({ retrieve: () => [booking] }, erased);
    expect([asked, after.state]).toEqual([['retrieve'], 'confirmed']);
  });
});

describe('a request that the supplier accepts by hand', () => {
  const pickupIn = (days: number) => {
    const pickupDate = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
    return due('on_request', 0, { confirmationNumber: 'CN1', rental: { ...sampleRental, pickupDate } });
  };

  it('is confirmed when it was accepted', async () => {
    expect((await looked({ retrieve: () => [booking] }, pickupIn(3))).after.state).toBe('confirmed');
  });

  it.each([
    [3, 'on_request'],
    [-3, 'expired'],
  ] as const)('that is still open %i days before the pickup: %s', async (days, state) => {
    const retrieve = (): readonly SupplierBooking[] => [{ ...booking, status: 'on_request' }];
    expect((await looked({ retrieve }, pickupIn(days))).after.state).toBe(state);
  });

  it('is not taken out of a cancellation that began during the look', async () => {
    const reservation = pickupIn(3);
    const { reconciler, repository, now } = world(
      {
        retrieve: () => {
          const cancelling = moved(now(reservation.id), {
            to: 'cancel_pending',
            actor: 'application',
            reason: 'asked for',
            at: Date.now(),
          });
          repository.has(cancelling);
          return [booking];
        },
      },
      reservation,
    );
    await reconciler.lookOnce();
    expect(now(reservation.id).state).toBe('cancel_pending');
  });
});

describe('a supplier that is not configured any more', () => {
  it.each<[State, number, State]>([
    ['pending', 0, 'unknown'],
    ['unknown', REVIEW_MS - 5_000, 'unknown'],
    ['unknown', REVIEW_MS + 5_000, 'manual_review'],
    ['cancel_unknown', REVIEW_MS + 5_000, 'manual_review'],
    ['on_request', REVIEW_MS + 5_000, 'on_request'],
  ])('%s, %i ms after the call: %s', async (state, ageMs, expected) => {
    const { after, asked } = await looked({ gone: true }, due(state, ageMs));
    expect([after.state, asked]).toEqual([expected, []]);
    expect(after.nextCheckAt !== undefined).toBe(expected !== 'manual_review');
  });
});

describe('the rounds', () => {
  it.each([
    [0, 2_000],
    [1, 4_000],
    [4, 32_000],
    [7, 256_000],
    [8, 300_000],
    [1_000, 300_000],
  ])('look again after look %i in about %i ms', async (looks, pauseMs) => {
    const reservation = { ...due('unknown'), checks: looks - 1 };
    const { reconciler, repository } = world({ retrieve: () => fail('timeout') }, reservation);
    const startedAt = Date.now();
    await reconciler.lookOnce();
    const [check] = repository.checks;
    expect((check?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(pauseMs * 0.8);
    expect((check?.at ?? 0) - startedAt).toBeLessThan(pauseMs * 1.2 + 500);
  });

  it('take ten at once and name each call after its reservation and look', async () => {
    const { reconciler, requestIds, repository } = world({}, ...Array.from({ length: 12 }, () => due('unknown')));
    expect([await reconciler.lookOnce(), await reconciler.lookOnce(), await reconciler.lookOnce()]).toEqual([10, 2, 0]);
    expect(requestIds.sort()).toEqual([...repository.reservations.keys()].map((id) => `rec_${id.slice(4)}_1`).sort());
  });

  it('go on with the others when one cannot be looked at', async () => {
    const bug = due('unknown', 0, {}, { id: 'res_bug' });
    const good = due('unknown');
    const retrieve = ({ reference }: BookingKey) => {
      if (reference === 'res_bug') throw new TypeError('a bug');
      return [booking];
    };
    const { reconciler, now, lines } = world({ retrieve }, bug, good);
    await reconciler.lookOnce();
    expect([now(good.id).state, now('res_bug').state, lines]).toEqual([
      'confirmed',
      'unknown',
      ['a reservation could not be looked at'],
    ]);
  });

  it('leave alone what is not due', async () => {
    const { reconciler, asked } = world(
      {},
      { ...sampleReservation(), nextCheckAt: Date.now() + 60_000 },
      reservationIn('confirmed'),
    );
    expect([await reconciler.lookOnce(), asked]).toEqual([0, []]);
  });

  it('run by themselves from the start of the process to its end, which waits for the one under way', async () => {
    const reservation = due('unknown');
    const { reconciler, repository, now } = world({ retrieve: () => [booking] }, reservation);
    reconciler.onApplicationBootstrap();
    await wait(150);
    expect(now(reservation.id).state).toBe('confirmed');
    await reconciler.onApplicationShutdown();
    repository.has(due('unknown', 0, {}, { id: 'res_later' }));
    await wait(150);
    expect(now('res_later').state).toBe('unknown');
  });

  it('outlive a database that is away', async () => {
    const reservation = due('unknown');
    const { reconciler, repository, now } = world({ retrieve: () => [booking] }, reservation);
    const takeDue = repository.takeDue.bind(repository);
    repository.takeDue = () => Promise.reject(new Error('away'));
    reconciler.onApplicationBootstrap();
    await wait(150);
    repository.takeDue = takeDue;
    await wait(150);
    expect(now(reservation.id).state).toBe('confirmed');
    await reconciler.onApplicationShutdown();
  });
});
