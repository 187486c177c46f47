import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Config, configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { TableChanges } from '../database/table-changes.js';
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
import { BookingLookup } from './booking-lookup.js';
import { MemoryRepository } from './fixtures/memory-repository.js';
import {
  cancelUnknownFrom,
  MADE_AT,
  reservationIn,
  samplePersonal,
  sampleRental,
  sampleReservation,
  sampleView,
} from './fixtures/sample-reservation.js';
import type { JournalEntry } from './journal-folder.js';
import { JournaledBookings } from './journaled-bookings.js';
import { Reconciler } from './reconciler.js';
import { type Change, moved, type Patch, type Rental, type Reservation } from './reservation.js';
import { ReservationChecks } from './reservation-checks.js';
import { ReservationWriter } from './reservation-writer.js';
import type { State } from './states.js';
import { StrayChecks } from './stray-checks.js';

const SETTLE_MS = 120_000;
const REVIEW_MS = 1_800_000;
const booking: SupplierBooking = { status: 'confirmed', confirmationNumber: 'CN1', ref: { booking: 'B1' } };
const change: Change = {
  kinds: ['remark', 'extras'],
  rental: { ...sampleRental, extras: [] },
  view: { ...sampleView, rental_days: 9 },
  personal: { ...samplePersonal, remark: 'Another remark' },
};

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** How the supplier behaves; absent = it has no bookings and refuses nothing. */
interface SupplierBehavior {
  retrieve?(key: BookingKey): readonly SupplierBooking[] | Promise<readonly SupplierBooking[]>;
  cancel?(key: BookingKey): void;
  modify?(request: ModifyRequest): SupplierBooking;
  readonly findsByReference?: boolean;
  readonly findsByReferenceAlone?: boolean;
  readonly gone?: boolean;
  /** Lines of the journal. */
  readonly lines?: readonly Pick<JournalEntry, 'ref' | 'at'>[];
  readonly times?: Partial<Config['reservations']>;
}

function setup({ times = {}, ...behavior }: SupplierBehavior, ...reservations: readonly Reservation[]) {
  const operations: string[] = [];
  const requestIds: string[] = [];
  const traits = {
    takesCards: false,
    takesVouchers: false,
    takesExtras: true,
    takesAdditionalDrivers: true,
    takesLatePickup: true,
    takesCoverages: true,
    changes: ['remark', 'extras'],
  } as const;
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    booking: {
      findsByReference: behavior.findsByReference ?? true,
      findsByReferenceAlone: behavior.findsByReferenceAlone ?? false,
      ...traits,
    },
    retrieve: async (key) => ({ items: (await behavior.retrieve?.(key)) ?? [], warnings: [] }),
    cancel: async (key) => {
      behavior.cancel?.(key);
      return { fee: { amountMinor: 500, currency: 'USD' } };
    },
    modify: async (request) =>
      behavior.modify?.(request) ?? { ...booking, confirmationNumber: request.confirmationNumber },
  };
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno Cars', adapter: 'fake', brands: ['Uno'] });
  const connection = new SupplierConnection(config, adapter, 'http://127.0.0.1:9');
  closing.push(() => connection.close());
  const supplier: Supplier = { id: 'uno', name: 'Uno Cars', config, connection };
  const registry = {
    suppliers: [supplier],
    byId: () => (behavior.gone ? undefined : supplier),
    configured: behavior.gone ? [] : [config],
  } as unknown as SupplierRegistry;
  const calls: Pick<SupplierCalls, 'call'> = {
    call: async (of, operation, { id }, run) => {
      operations.push(operation);
      requestIds.push(id);
      return run(of.connection.adapter, {} as SupplierContext);
    },
  };
  const lines: string[] = [];
  const logger = pino(
    { level: 'warn' },
    { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const repository = new MemoryRepository().has(...reservations);
  const settings = configSchema.parse({ reservations: { checkEveryMs: 50, ...times } });
  const writer = new ReservationWriter(repository.asRepository, settings, logger);
  const lookup = new BookingLookup(calls as SupplierCalls, { aheadMs: () => 0 }, logger);
  const strays = new StrayChecks(calls as SupplierCalls, lookup, repository.asRepository, settings);
  const journaled = new JournaledBookings();
  for (const line of behavior.lines ?? []) journaled.rememberLine(line);
  const checks = new ReservationChecks(
    registry,
    calls as SupplierCalls,
    lookup,
    strays,
    { isBehind: async (reservation) => journaled.isBehind(reservation) },
    repository.asRepository,
    settings,
  );
  const reconciler = new Reconciler(
    registry,
    checks,
    repository.asRepository,
    writer,
    { changes: new TableChanges(false) },
    settings,
    logger,
  );
  const now = (id: string): Reservation => {
    const found = repository.reservations.get(id);
    if (!found) throw new Error('not found');
    return found;
  };
  return { reconciler, repository, operations, requestIds, lines, now };
}

/** A due reservation whose last call ended `ageMs` ago. */
function due(state: State, ageMs = 0, patch: Patch = {}, changes: Partial<Reservation> = {}): Reservation {
  const made = reservationIn(state, patch, changes);
  const nextCheckAt = patch.nextCheckAt ?? Date.now() - 1;
  return { ...made, ...dueSince(ageMs), nextCheckAt };
}

function dueSince(ageMs: number) {
  return { nextCheckAt: Date.now() - 1, sentUntil: Date.now() - ageMs, updatedAt: Date.now() - ageMs };
}

/** Runs one check and returns the resulting reservation. */
async function checked(behavior: SupplierBehavior, reservation: Reservation) {
  const { reconciler, now, operations, lines } = setup(behavior, reservation);
  expect(await reconciler.checkOnce()).toBe(1);
  return { after: now(reservation.id), operations, lines };
}

/** The error of a call that the supplier doesn't have. */
function unable(): never {
  throw new SupplierError('rejected', 'no such call', false, { refusal: 'unsupported_by_supplier' });
}

function fail(fault: Fault, refusal?: Refusal): never {
  throw new SupplierError(fault, 'no', true, { refusal });
}

async function doubles(): Promise<number> {
  const text = await metrics.getSingleMetricAsString('forecourt_double_bookings_total');
  return Number(/supplier="uno"\} (\d+)/.exec(text)?.[1] ?? 0);
}

async function lateBookingsOf(): Promise<number> {
  const text = await metrics.getSingleMetricAsString('forecourt_late_bookings_total');
  return Number(/supplier="uno"\} (\d+)/.exec(text)?.[1] ?? 0);
}

describe('a call in progress when its gateway exited', () => {
  it('a booking is looked up and confirmed if the supplier has it', async () => {
    const { after, operations } = await checked({ retrieve: () => [booking] }, due('pending'));
    expect(operations).toEqual(['retrieve']);
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1', version: 3 });
    expect(after.history.slice(1)).toMatchObject([
      { from: 'pending', to: 'unknown', actor: 'reconciler' },
      { from: 'unknown', to: 'confirmed', actor: 'reconciler' },
    ]);
    // It is looked up once more.
    expect(after.nextCheckAt).toBe(after.updatedAt + SETTLE_MS);
  });

  it('a change is requested again', async () => {
    const { after, operations } = await checked(
      {},
      due('modify_pending', SETTLE_MS + 1_000, { change, confirmationNumber: 'CN1' }),
    );
    // By its number, and by its reference.
    expect(operations).toEqual(['retrieve', 'retrieve', 'modify']);
    expect(after).toMatchObject({
      state: 'confirmed',
      view: { rental_days: 9 },
      personal: { remark: 'Another remark' },
    });
  });

  it.each<[string, Partial<SupplierBooking>, object]>([
    ['time', { pickupDate: '2027-02-02T10:00:00' }, { pickup_date: '2027-02-02T10:00:00' }],
    ['class', { sippCode: 'MBMR' }, { sipp_code: 'MBMR' }],
  ])('a change is not requested again if the supplier shows another %s: manual review', async (_what, more, shown) => {
    const view = { ...sampleView, vehicle: { ...sampleView.vehicle, sipp_code: 'ECMR' } };
    const retrieve = () => [{ ...booking, ...more }];
    const rental: Rental = { ...sampleRental, stated: ['sipp_code'] };
    const pending = due('modify_pending', SETTLE_MS + 1_000, { change, rental, view, confirmationNumber: 'CN1' });
    const { after, operations } = await checked({ retrieve }, pending);
    expect([operations, after.state, after.view.booked_differently]).toEqual([['retrieve'], 'manual_review', shown]);
    // What the supplier stated before the change was not changed since.
    const known = { ...pending, view: { ...view, booked_differently: { sipp_code: 'MBMR' } } };
    const repeated = await checked({ retrieve }, known);
    expect(repeated.operations.includes('modify')).toBe('sipp_code' in shown);
  });

  it.each<[string, number, Fault, string[], State]>([
    ['waits while the look-up fails', SETTLE_MS + 1_000, 'timeout', ['retrieve'], 'unknown'],
    ['goes to manual review if it keeps failing', REVIEW_MS + 1_000, 'timeout', ['retrieve'], 'manual_review'],
    [
      'is requested again if the supplier shows no bookings',
      SETTLE_MS,
      'rejected',
      ['retrieve', 'modify'],
      'confirmed',
    ],
  ])('a change %s', async (_what, ageMs, fault, expected, state) => {
    const pending = due('unknown', ageMs, { change, confirmationNumber: 'CN1' });
    const behavior = { retrieve: () => fail(fault), findsByReference: false };
    const { after, operations } = await checked(behavior, pending);
    expect([operations, after.state]).toEqual([expected, state]);
  });

  it('a cancellation is requested again', async () => {
    const { after, operations } = await checked({}, due('cancel_pending', 0, { confirmationNumber: 'CN1' }));
    expect(operations).toEqual(['cancel']);
    expect(after).toMatchObject({ state: 'cancelled', cancellation: { fee: { amountMinor: 500 } } });
  });
});

describe('a booking with an unknown outcome', () => {
  it.each([
    [SETTLE_MS - 5_000, 'unknown'],
    [SETTLE_MS + 5_000, 'failed'],
  ] as const)('that the supplier does not have, %i ms after the call: %s', async (ageMs, state) => {
    expect((await checked({}, due('unknown', ageMs))).after.state).toBe(state);
  });

  it.each([
    [REVIEW_MS - 5_000, 'unknown'],
    [REVIEW_MS + 5_000, 'manual_review'],
  ] as const)('of an unavailable supplier, %i ms after the call: %s', async (ageMs, state) => {
    const { after, lines } = await checked({ retrieve: () => fail('unavailable') }, due('unknown', ageMs));
    expect(after.state).toBe(state);
    expect(lines.includes('this reservation needs manual review: run gw reservation resolve')).toBe(
      state === 'manual_review',
    );
  });

  it('of which the supplier shows a booking for other dates is not reported as booked', async () => {
    const states = await Promise.all(
      ['2027-02-01T10:30:00', '2027-02-02T10:00:00'].map(async (pickupDate) => {
        const retrieve = ({ reference }: BookingKey) => [{ ...booking, reference, pickupDate }];
        const { after } = await checked({ retrieve }, due('unknown', SETTLE_MS));
        return after.state;
      }),
    );
    expect(states).toEqual(['confirmed', 'manual_review']);
  });

  it('that is found as a request without a number is followed by its reference', async () => {
    const request: SupplierBooking = { status: 'on_request', ref: {} };
    const stateOf = async (more: (key: BookingKey) => object) => {
      const retrieve = (key: BookingKey) => [{ ...request, ...more(key) }];
      return (await checked({ retrieve }, due('unknown', SETTLE_MS))).after.state;
    };
    expect(await stateOf(({ reference }) => ({ reference }))).toBe('on_request');
    expect(await stateOf(() => ({}))).toBe('unknown');
    expect(await stateOf(({ reference }) => ({ reference, status: 'confirmed' }))).toBe('unknown');
  });

  it('goes to manual review without a call if the supplier only finds bookings by confirmation number', async () => {
    const { after, operations } = await checked({ findsByReference: false }, due('unknown'));
    expect([after.state, operations, after.nextCheckAt]).toEqual(['manual_review', [], undefined]);
  });

  it('goes to manual review without a call if the name is erased by which the supplier finds it', async () => {
    const { after, operations } = await checked({}, { ...due('unknown'), personal: undefined });
    expect([after.state, after.history.at(-1)?.reason, operations]).toEqual([
      'manual_review',
      "Uno Cars cannot find a booking without the renter's name",
      [],
    ]);
  });

  it('is looked up without the erased name at a supplier that finds bookings by reference alone', async () => {
    const erased = { ...due('unknown'), personal: undefined };
    const { after } = await checked({ findsByReferenceAlone: true, retrieve: () => [booking] }, erased);
    expect(after.state).toBe('confirmed');
  });

  it('is looked up by its confirmation number if that is known', async () => {
    const { after } = await checked(
      { findsByReference: false, retrieve: () => [booking] },
      due('unknown', 0, { confirmationNumber: 'CN1' }),
    );
    expect(after.state).toBe('confirmed');
  });

  it('that the supplier must accept manually is checked again soon', async () => {
    const { after } = await checked(
      { retrieve: () => [{ ...booking, status: 'on_request' }] },
      { ...due('unknown'), checks: 9 },
    );
    expect(after).toMatchObject({ state: 'on_request', checks: 0 });
    expect(after.nextCheckAt).toBeLessThanOrEqual(Date.now() + 2_000);
  });

  it('that exists twice goes to manual review, is counted and logged as an error', async () => {
    const before = await doubles();
    const { after, lines } = await checked(
      { retrieve: () => [booking, { ...booking, confirmationNumber: 'CN2' }] },
      due('unknown'),
    );
    expect(after).toMatchObject({ state: 'manual_review' });
    expect(after.history.at(-1)?.reason).toContain('2 active bookings');
    expect(lines.join()).toContain('DOUBLE BOOKING');
    expect(await doubles()).toBe(before + 1);
  });

  it.each(['cancelled', 'rejected'] as const)(
    'is not a double booking if the other one is %s: only active ones count',
    async (status) => {
      const before = await doubles();
      const { after } = await checked(
        { retrieve: () => [{ ...booking, status, confirmationNumber: 'CN0' }, booking] },
        due('unknown'),
      );
      expect([await doubles(), after.state]).toEqual([before, 'confirmed']);
    },
  );
});

describe('a hold that was never confirmed', () => {
  const hold: SupplierBooking = { status: 'held', ref: { holdId: 'H1' } };
  const SETTLED = SETTLE_MS + 1_000;
  /** A supplier whose hold becomes `after` once it was to be released; `cancel` = how that ends. */
  const holding = (after: readonly SupplierBooking[], cancel = (_key: BookingKey): void => undefined) => {
    let shown: readonly SupplierBooking[] = [hold];
    return {
      retrieve: () => shown,
      cancel: (key: BookingKey) => {
        shown = after;
        cancel(key);
      },
    };
  };

  it('is kept while its confirmation may still take effect', async () => {
    const { after, operations } = await checked(holding([]), due('unknown', SETTLE_MS - 5_000));
    expect([operations, after.state]).toEqual([['retrieve'], 'unknown']);
    expect(after.nextCheckAt).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  it('is released then; without it and without a booking, the reservation has failed and is looked up late', async () => {
    const { after, operations } = await checked(holding([]), due('unknown', SETTLED));
    expect([operations, after.state]).toEqual([['retrieve', 'cancel', 'retrieve'], 'failed']);
    expect(after.nextCheckAt).toBe(after.updatedAt + 300_000);
  });

  it('is released with the reference data from the supplier', async () => {
    const keys: BookingKey[] = [];
    await checked(
      holding([], (key) => void keys.push(key)),
      due('unknown', SETTLED),
    );
    expect(keys).toMatchObject([{ ref: { holdId: 'H1' } }]);
  });

  it.each<[string, () => void]>([
    ['is accepted', () => undefined],
    ['finds no hold', () => fail('rejected', 'not_found')],
    ['is refused', () => fail('rejected')],
    ['has no answer', () => fail('timeout')],
  ])('but became a booking meanwhile is confirmed, even if the release %s', async (_how, cancel) => {
    const { after } = await checked(holding([booking], cancel), due('unknown', SETTLED));
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1' });
  });

  it('that stays, or of which the supplier shows nothing after its release, is checked again', async () => {
    const stays = holding([hold], () => fail('rejected'));
    expect((await checked(stays, due('unknown', SETTLED))).after).toMatchObject({ state: 'unknown' });
    expect((await checked(stays, due('unknown', REVIEW_MS + 1_000))).after).toMatchObject({ state: 'manual_review' });
    const answers = [[hold]];
    const silent = { retrieve: () => answers.pop() ?? fail('timeout') };
    const { after } = await checked(silent, due('unknown', SETTLED));
    expect([after.state, 'nextCheckAt' in after]).toEqual(['unknown', true]);
  });
});

describe('a cancellation whose answer was lost', () => {
  it('is repeated until the outcome is known', async () => {
    let times = 0;
    const reservation = due('cancel_unknown', 0, { confirmationNumber: 'CN1' });
    const cancel = () => {
      times += 1;
      if (times < 3) fail('timeout');
    };
    const { reconciler, repository, now } = setup({ cancel }, reservation);
    for (let i = 0; i < 3; i += 1) {
      await reconciler.checkOnce();
      const { id, ...rest } = now(reservation.id);
      if (rest.nextCheckAt !== undefined) repository.has({ id, ...rest, nextCheckAt: Date.now() - 1 });
    }
    expect([times, now(reservation.id).state]).toEqual([3, 'cancelled']);
  });

  it('that is refused restores confirmed', async () => {
    const refusing = { cancel: () => fail('rejected', 'not_changeable'), retrieve: () => [booking] };
    const made = cancelUnknownFrom('confirmed', { confirmationNumber: 'CN1' });
    const { after } = await checked(refusing, { ...made, ...dueSince(SETTLE_MS + 1_000) });
    expect(after.state).toBe('confirmed');
    // Before that, the first request may still take effect.
    expect((await checked(refusing, { ...made, ...dueSince(0) })).after.state).toBe('cancel_unknown');
  });

  it('that is refused restores on_request, with further checks', async () => {
    const requested = cancelUnknownFrom('on_request', { confirmationNumber: 'CN1' });
    const reservation = { ...requested, ...dueSince(SETTLE_MS + 1_000) };
    const requestedOne = { ...booking, status: 'on_request' } as const;
    const refusing = { cancel: () => fail('rejected', 'not_changeable'), retrieve: () => [requestedOne] };
    const { after } = await checked(refusing, reservation);
    expect(after).toMatchObject({ state: 'on_request', nextCheckAt: expect.any(Number) });
  });

  it('of a booking that the supplier does not have goes to manual review', async () => {
    const { after } = await checked({ cancel: () => fail('rejected', 'not_found') }, due('cancel_unknown'));
    expect(after.state).toBe('manual_review');
  });

  it.each(['cancelled', 'rejected'] as const)('of a booking that the supplier shows as %s is done', async (status) => {
    for (const refusal of ['not_found', 'not_changeable', undefined] as const) {
      const behavior: SupplierBehavior = {
        cancel: () => fail('rejected', refusal),
        retrieve: () => [{ ...booking, status }],
      };
      expect((await checked(behavior, due('cancel_unknown', 0, { confirmationNumber: 'CN1' }))).after.state).toBe(
        'cancelled',
      );
    }
  });

  it('refused, of a booking that the supplier does not show, goes to manual review', async () => {
    const unclear = { cancel: () => fail('rejected', 'not_changeable'), retrieve: () => fail('timeout') };
    const number = { confirmationNumber: 'CN1' };
    const stateAt = async (behavior: SupplierBehavior, ageMs: number) =>
      (await checked(behavior, due('cancel_unknown', ageMs, number))).after.state;
    expect(await stateAt(unclear, SETTLE_MS + 1_000)).toBe('cancel_unknown');
    expect(await stateAt(unclear, REVIEW_MS + 1_000)).toBe('manual_review');
    expect(await stateAt({ ...unclear, retrieve: () => [] }, SETTLE_MS + 1_000)).toBe('manual_review');
  });
});

describe('a change whose answer was lost', () => {
  const unclear = (ageMs = SETTLE_MS + 1_000) => {
    const pending = reservationIn('modify_pending', { change, confirmationNumber: 'CN1' });
    const unknown = moved(pending, { to: 'unknown', actor: 'gateway', reason: 'no clear answer', at: MADE_AT + 9_000 });
    return { ...unknown, nextCheckAt: Date.now() - 1, sentUntil: Date.now() - ageMs, updatedAt: Date.now() - ageMs };
  };

  it('is left alone until the first request can no longer take effect late', async () => {
    const { after, operations } = await checked({}, unclear(SETTLE_MS - 5_000));
    expect([operations, after.state]).toEqual([[], 'unknown']);
    expect(after.nextCheckAt).toBeLessThanOrEqual(Date.now() + 5_000);
  });

  it('whose repetition was also lost is left alone for the same time again', async () => {
    const { after } = await checked({ modify: () => fail('timeout') }, unclear());
    expect(after.sentUntil).toBeGreaterThan(Date.now() - 1_000);
  });

  it('is sent again, complete and with the same confirmation number, and is done', async () => {
    const requests: ModifyRequest[] = [];
    const modify = (request: ModifyRequest): SupplierBooking => {
      requests.push(request);
      return { status: 'confirmed', ref: {} };
    };
    const reservation = unclear();
    const { after } = await checked({ modify }, reservation);
    expect(requests).toMatchObject([
      {
        reference: reservation.id,
        confirmationNumber: 'CN1',
        changes: ['remark', 'extras'],
        extras: [],
        remark: 'Another remark',
        before: {
          pickupDate: sampleRental.pickupDate,
          dropoffDate: sampleRental.dropoffDate,
          extras: sampleRental.extras,
          ref: reservation.rental.ref,
        },
      },
    ]);
    expect(after).toMatchObject({
      state: 'confirmed',
      confirmationNumber: 'CN1',
      rental: { extras: [] },
      view: { ...sampleView, rental_days: 9 },
    });
    expect('change' in after).toBe(false);
  });

  it('is sent again under the number that the supplier has given the booking since, unless it would undo what was changed there', async () => {
    const numbers: string[] = [];
    const modify = ({ confirmationNumber }: ModifyRequest): SupplierBooking => {
      numbers.push(confirmationNumber);
      return { ...booking, confirmationNumber };
    };
    const renumbered = { ...booking, confirmationNumber: 'CN2', ref: { booking: 'B2' } };
    const { after } = await checked({ modify, retrieve: () => [renumbered] }, unclear());
    expect([numbers, after.state, after.confirmationNumber]).toEqual([['CN2'], 'confirmed', 'CN2']);
    const moved = { ...renumbered, pickupDate: '2027-02-20T10:00:00' };
    const { after: undone } = await checked({ modify, retrieve: () => [moved] }, unclear());
    expect([numbers.length, undone.state, undone.confirmationNumber]).toEqual([1, 'manual_review', 'CN2']);
  });

  describe('is not repeated for a booking that is gone under its number, and may have been replaced:', () => {
    const rental = { ...sampleRental, pickupDate: '2027-03-01T10:00:00' };
    const { pickupDate, dropoffDate } = sampleRental;
    const moved: Change = { ...change, kinds: ['rental'], rental };
    const before = { pickupDate, dropoffDate };
    const next: SupplierBooking = { ...booking, confirmationNumber: 'CN5', ref: { booking: 'B5' }, ...before };
    const asChanged = { ...next, pickupDate: rental.pickupDate };
    const gone: SupplierBooking = { ...booking, status: 'cancelled' };
    const shownAs = async (
      byNumber: SupplierBooking[],
      listed: SupplierBooking[] | Fault,
      asked: Change,
      ageMs = 0,
    ) => {
      const numbers: string[] = [];
      const { after, operations } = await checked(
        {
          retrieve: ({ confirmationNumber, reference }) => {
            if (confirmationNumber !== undefined) return byNumber;
            return typeof listed === 'string' ? fail(listed) : listed.map((one) => ({ ...one, reference }));
          },
          modify: ({ confirmationNumber }) => {
            numbers.push(confirmationNumber);
            return { status: 'confirmed', ref: {} };
          },
        },
        { ...unclear(Math.max(ageMs, SETTLE_MS + 1_000)), change: asked },
      );
      const { state, confirmationNumber, rental: booked } = after;
      return [operations.join(), numbers.join(), state, confirmationNumber, booked.pickupDate, booked.ref.booking];
    };
    const LOOKED_UP = 'retrieve,retrieve';

    it.each([
      ['cancelled', [gone]],
      ['not shown', []],
    ])('%s', async (_what, byNumber) => {
      // Also if what was shown before the change isn't known.
      for (const asked of [moved, { ...moved, shown: before }]) {
        const made = await shownAs(byNumber, [gone, asChanged], asked);
        expect(made).toEqual([LOOKED_UP, '', 'confirmed', 'CN5', rental.pickupDate, 'B5']);
        const unchanged = await shownAs(byNumber, [gone, next], asked);
        expect(unchanged.slice(0, 5)).toEqual([`${LOOKED_UP},modify`, 'CN5', 'confirmed', 'CN5', rental.pickupDate]);
        const two = [asChanged, { ...asChanged, confirmationNumber: 'CN6' }];
        expect((await shownAs(byNumber, two, asked)).slice(0, 4)).toEqual([LOOKED_UP, '', 'manual_review', 'CN1']);
        for (const [listed, awaited] of [
          ['timeout', false],
          [[{ ...asChanged, confirmationNumber: 'x'.repeat(65) }], false],
          [[{ ...asChanged, status: 'on_request' as const }], true],
        ] as const) {
          const open = typeof listed === 'string' ? listed : [...listed];
          expect((await shownAs(byNumber, open, asked)).slice(0, 3)).toEqual([LOOKED_UP, '', 'unknown']);
          if (!awaited) expect((await shownAs(byNumber, open, asked, REVIEW_MS + 1_000))[2]).toBe('manual_review');
        }
      }
    });

    it('nor if it is cancelled, and nothing has replaced it: manual review', async () => {
      expect((await shownAs([gone], [gone], moved)).slice(0, 3)).toEqual([LOOKED_UP, '', 'unknown']);
      expect((await shownAs([gone], [], moved, REVIEW_MS + 1_000))[2]).toBe('manual_review');
      // Two statuses of one number.
      expect((await shownAs([gone], [booking], moved)).slice(0, 3)).toEqual([LOOKED_UP, '', 'unknown']);
    });

    it('a change that awaits acceptance has the number of the request that replaced the booking', async () => {
      const asked = await shownAs([gone], [{ ...asChanged, status: 'on_request' }], moved);
      expect(asked).toEqual([LOOKED_UP, '', 'unknown', 'CN5', pickupDate, 'B5']);
    });

    it('a change that awaits acceptance is found under its new number', async () => {
      const awaited: Change = { ...moved, isAwaited: true };
      const accepted = await shownAs([gone], [asChanged], awaited);
      expect(accepted).toEqual([LOOKED_UP, '', 'confirmed', 'CN5', rental.pickupDate, 'B5']);
    });

    it('what a refusal of the repeated change leaves has the new number', async () => {
      const behavior: SupplierBehavior = {
        retrieve: ({ confirmationNumber }) => (confirmationNumber === 'CN1' ? [gone] : [next]),
        modify: () => fail('rejected', 'not_changeable'),
      };
      const { after } = await checked(behavior, { ...unclear(), change: moved });
      expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN5', rental: { pickupDate } });
    });
  });

  it('asks for no acceptance again of what was booked on request', async () => {
    const requests: ModifyRequest[] = [];
    const modify = (request: ModifyRequest): SupplierBooking => {
      requests.push(request);
      return { status: 'confirmed', ref: {} };
    };
    const asked: Change = { ...change, rental: { ...change.rental, status: 'on_request' } };
    const { after } = await checked({ modify }, { ...unclear(), change: asked });
    expect([requests.map(({ status }) => status), after.state]).toEqual([['available'], 'confirmed']);
  });

  it.each([
    ['shown with the new dates', '2027-03-01T10:00:00', 'confirmed', 'confirmed'],
    ['shown with the old dates', sampleRental.pickupDate, 'confirmed', 'manual_review'],
    ['shown without dates', undefined, 'confirmed', 'manual_review'],
    ['still awaited', undefined, 'on_request', 'manual_review'],
    ['shown as rejected', undefined, 'rejected', 'manual_review'],
    ['not shown', undefined, undefined, 'manual_review'],
  ] as const)(
    'that the supplier must accept manually is requested once; %s',
    async (_what, pickupDate, status, state) => {
      const rental = { ...sampleRental, pickupDate: '2027-03-01T10:00:00' };
      const asked: Reservation = { ...unclear(), change: { ...change, kinds: ['rental'], rental } };
      const modify = (): SupplierBooking => ({ ...booking, status: 'on_request' });
      const retrieve = () => (status ? [{ ...booking, status, ...(pickupDate && { pickupDate }) }] : []);
      const { reconciler, repository, operations, now } = setup({ modify, retrieve }, asked);
      const id = [...repository.reservations.keys()].join();
      await reconciler.checkOnce();
      expect(now(id)).toMatchObject({ state: 'unknown', personal: samplePersonal, rental: sampleRental });
      const later = (ms: number) => ({ ...now(id), sentUntil: Date.now() - ms, updatedAt: Date.now() - ms });
      repository.has({ ...later(SETTLE_MS), nextCheckAt: Date.now() - 1 });
      await reconciler.checkOnce();
      expect(now(id).state).toBe(state === 'confirmed' ? 'confirmed' : 'unknown');
      repository.has({ ...later(REVIEW_MS), nextCheckAt: Date.now() - 1 });
      await reconciler.checkOnce();
      expect(operations.filter((one) => one === 'modify')).toHaveLength(1);
      expect([now(id).state, now(id).rental.pickupDate]).toEqual([
        state,
        state === 'confirmed' ? rental.pickupDate : sampleRental.pickupDate,
      ]);
      // An operator can still record that it was made.
      if (state === 'manual_review') expect(now(id).change?.rental).toEqual(rental);
    },
  );

  it('that is refused the second time goes to manual review: the outcome of the first request is unknown', async () => {
    const { after } = await checked({ modify: () => fail('rejected', 'not_changeable') }, unclear());
    expect(after).toMatchObject({
      state: 'manual_review',
      confirmationNumber: 'CN1',
      rental: sampleRental,
      personal: samplePersonal,
    });
  });

  it.each([
    ['as changed', '2027-03-01T10:00:00', 'confirmed', 'changed: rental'],
    ['as before', sampleRental.pickupDate, 'confirmed', 'change refused: not_changeable'],
    ['for yet other dates', '2027-04-01T10:00:00', 'manual_review', expect.any(String)],
    ['without dates', undefined, 'manual_review', expect.any(String)],
  ] as const)(
    'of dates, refused the second time, is what the supplier shows %s',
    async (_what, shown, state, reason) => {
      const rental = { ...sampleRental, pickupDate: '2027-03-01T10:00:00' };
      const moved: Reservation = { ...unclear(), change: { ...change, kinds: ['rental'], rental } };
      const retrieve = () => [{ ...booking, ...(shown && { pickupDate: shown }) }];
      const { after } = await checked({ modify: () => fail('rejected', 'not_changeable'), retrieve }, moved);
      expect([after.state, after.history.at(-1)?.reason]).toEqual([state, reason]);
      if (state === 'confirmed') expect([after.rental.pickupDate, after.change]).toEqual([shown, undefined]);
    },
  );

  it.each<[string, Partial<SupplierBooking>, string[], string]>([
    ['shown as changed is not requested again', { pickupDate: '2027-03-01T10:00:00' }, ['retrieve'], 'changed: rental'],
    ['shown as before is', {}, ['retrieve', 'modify'], 'change refused: not_changeable'],
  ])('of dates, %s', async (_what, more, expected, reason) => {
    const { pickupDate, dropoffDate } = sampleRental;
    const rental = { ...sampleRental, pickupDate: '2027-03-01T10:00:00' };
    const shown = { pickupDate, dropoffDate };
    const asked: Change = { ...change, kinds: ['rental'], rental, shown };
    const behavior = {
      modify: () => fail('rejected', 'not_changeable'),
      retrieve: () => [{ ...booking, ...shown, ...more }],
    };
    const { after, operations } = await checked(behavior, { ...unclear(), change: asked });
    expect([operations.slice(0, 2), after.history.at(-1)?.reason]).toEqual([expected, reason]);
    if (operations.length === 1)
      expect([after.rental.pickupDate, after.change]).toEqual([rental.pickupDate, undefined]);
    // The supplier had these dates before: this proves nothing.
    const same = { ...behavior, modify: () => fail('timeout') };
    const before = { ...asked, shown: { ...shown, ...more } };
    expect((await checked(same, { ...unclear(), change: before })).operations).toEqual(['retrieve', 'modify']);
  });

  it('of extras, refused the second time, was made if the supplier shows them', async () => {
    const shown = { extras: sampleRental.extras };
    const behavior = { modify: () => fail('rejected', 'not_changeable'), retrieve: () => [{ ...booking, extras: [] }] };
    const asked: Change = { ...change, kinds: ['extras'], shown };
    const { after } = await checked(behavior, { ...unclear(), change: asked });
    expect([after.state, after.rental.extras]).toEqual(['confirmed', []]);
    // They may never have been listed.
    const { after: unproven } = await checked(behavior, { ...unclear(), change: { ...asked, shown: { extras: [] } } });
    expect(unproven.state).toBe('manual_review');
  });

  it('that this gateway cannot send, by its file of the supplier, is left to others until review is due', async () => {
    const unable = () => {
      throw new SupplierError('rejected', 'no change', false, { refusal: 'unsupported_by_supplier' });
    };
    const stateAfter = async (ageMs: number) => (await checked({ modify: unable }, unclear(ageMs))).after.state;
    expect([await stateAfter(SETTLE_MS), await stateAfter(REVIEW_MS + 5_000)]).toEqual(['unknown', 'manual_review']);
    const cancel = async (ageMs: number) =>
      (await checked({ cancel: unable, retrieve: () => [booking] }, due('cancel_unknown', ageMs))).after.state;
    expect([await cancel(SETTLE_MS + 1_000), await cancel(REVIEW_MS + 1_000)]).toEqual([
      'cancel_unknown',
      'manual_review',
    ]);
  });

  it.each<[Fault, Refusal | undefined, number, State]>([
    ['rejected', 'not_found', SETTLE_MS, 'manual_review'],
    ['timeout', undefined, SETTLE_MS, 'unknown'],
    ['throttled', undefined, REVIEW_MS - 5_000, 'unknown'],
    ['throttled', undefined, REVIEW_MS + 5_000, 'manual_review'],
    ['bad_payload', undefined, REVIEW_MS + 5_000, 'manual_review'],
  ])('%s (%s), %i ms after the call: %s', async (fault, refusal, ageMs, state) => {
    expect((await checked({ modify: () => fail(fault, refusal) }, unclear(ageMs))).after.state).toBe(state);
  });

  it('that was booked at the accepted total removes the price drift of the previous version', async () => {
    const priceDrift = { accepted: sampleRental.total, actual: { amountMinor: 14_000, currency: 'USD' } };
    const { after } = await checked(
      { modify: () => ({ ...booking, total: change.rental.total }) },
      { ...unclear(), priceDrift },
    );
    expect(after).not.toHaveProperty('priceDrift');
  });

  it('whose data was erased is looked up instead', async () => {
    const { change: _change, personal: _personal, ...erased } = unclear();
    const { after, operations } = await checked({ retrieve: () => [booking] }, erased);
    expect([operations, after.state]).toEqual([['retrieve'], 'confirmed']);
  });
});

describe('a request that the supplier accepts manually', () => {
  const pickupIn = (days: number) => {
    const pickupDate = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
    return due('on_request', 0, { confirmationNumber: 'CN1', rental: { ...sampleRental, pickupDate } });
  };

  it('is confirmed once it is accepted', async () => {
    expect((await checked({ retrieve: () => [booking] }, pickupIn(3))).after.state).toBe('confirmed');
  });

  const open: SupplierBooking = { ...booking, status: 'on_request' };
  /** A supplier with an open request that becomes `after` once it was to be withdrawn; `cancel` = how that ends. */
  const asked = (after: SupplierBooking['status'], cancel = (_key: BookingKey): void => undefined) => {
    let shown = open;
    return {
      retrieve: () => [shown],
      cancel: (key: BookingKey) => {
        shown = { ...open, status: after };
        cancel(key);
      },
    };
  };

  it.each([
    [3, 'on_request', ['retrieve']],
    [-3, 'expired', ['retrieve', 'retrieve', 'cancel', 'retrieve', 'retrieve']],
  ] as const)('that is still open %i days before the pickup: %s', async (days, state, calls) => {
    const { after, operations } = await checked(asked('cancelled'), pickupIn(days));
    expect([after.state, operations]).toEqual([state, calls]);
  });

  it('that expires is looked up once more', async () => {
    const { after } = await checked(asked('cancelled'), pickupIn(-3));
    expect(after.nextCheckAt).toBe(after.updatedAt + SETTLE_MS);
    const accepted = { ...due('expired', REVIEW_MS), confirmationNumber: 'CN1' };
    expect((await checked({ retrieve: () => [booking] }, accepted)).after.strays).toMatchObject([{ number: 'CN1' }]);
  });

  it('that is accepted while it is withdrawn is confirmed, whatever the answer', async () => {
    for (const cancel of [() => undefined, () => fail('rejected'), () => fail('timeout')]) {
      expect((await checked(asked('confirmed', cancel), pickupIn(-3))).after.state).toBe('confirmed');
    }
  });

  it.each<[string, () => void, State]>([
    ['the supplier refuses to withdraw', () => fail('rejected', 'not_changeable'), 'expired'],
    ['the supplier cannot withdraw', () => unable(), 'expired'],
    ['the supplier does not know when it is to be withdrawn', () => fail('rejected', 'not_found'), 'manual_review'],
    ['stays open after its withdrawal', () => undefined, 'manual_review'],
    ['cannot be withdrawn, without an answer', () => fail('timeout'), 'manual_review'],
  ])('that %s, later: %s', async (_what, cancel, state) => {
    const keeping = asked('on_request', cancel);
    expect((await checked(keeping, pickupIn(-3))).after).toMatchObject({ state: 'on_request' });
    const { after } = await checked(keeping, { ...pickupIn(-3), updatedAt: Date.now() - REVIEW_MS });
    expect(after).toMatchObject({ state });
    if (state === 'expired') expect(after.nextCheckAt).toBe(after.updatedAt + SETTLE_MS);
  });

  it('that expired while it was open is watched for a while, and is a second booking once it is accepted', async () => {
    const expired = (ageMs: number) => ({ ...due('expired', ageMs), confirmationNumber: 'CN1' });
    const early = await checked({ retrieve: () => [open] }, expired(SETTLE_MS));
    expect([early.after.strays, early.after.nextCheckAt]).toEqual([undefined, expect.any(Number)]);
    const late = await checked({ retrieve: () => [open] }, expired(REVIEW_MS));
    expect([late.after.strays, late.after.nextCheckAt]).toEqual([undefined, undefined]);
  });

  it('is withdrawn only some time after the pickup, when the supplier may be serving the renter', async () => {
    const past = (minutes: number): Reservation => {
      const reservation = pickupIn(-minutes / 1_440);
      const pickup = { ...reservation.rental.pickup, countryCode: 'GB', timeZone: 'UTC' };
      return { ...reservation, rental: { ...reservation.rental, pickup } };
    };
    const { after, operations } = await checked(asked('cancelled'), past(29));
    expect([after.state, operations]).toEqual(['on_request', ['retrieve']]);
    expect((await checked(asked('cancelled'), past(31))).after.state).toBe('expired');
    // What the supplier no longer has can't be accepted.
    expect((await checked({}, past(1))).after.state).toBe('expired');
  });

  it('that the supplier numbers only when it accepts it is followed and withdrawn by its reference', async () => {
    const unnumbered = (days: number): Reservation => {
      const { confirmationNumber: _none, ...reservation } = pickupIn(days);
      return reservation;
    };
    const { confirmationNumber: _number, ...request } = open;
    const showing = (shown: SupplierBooking) => ({
      retrieve: ({ reference }: BookingKey) => [{ ...shown, reference }],
    });
    const stateOf = async (shown: SupplierBooking, days: number) =>
      (await checked(showing(shown), unnumbered(days))).after.state;
    expect(await stateOf(request, 3)).toBe('on_request');
    expect(await stateOf({ ...request, status: 'rejected' }, 3)).toBe('rejected');
    // What can't be called isn't taken for accepted.
    expect(await stateOf({ ...booking, confirmationNumber: 'x'.repeat(65) }, 3)).toBe('on_request');
    expect((await checked(showing(booking), unnumbered(3))).after).toMatchObject({
      state: 'confirmed',
      confirmationNumber: 'CN1',
    });
    let shown: SupplierBooking = request;
    const { after, operations } = await checked(
      {
        retrieve: ({ reference }) => [{ ...shown, reference }],
        cancel: () => {
          shown = { ...request, status: 'cancelled' };
        },
      },
      unnumbered(-3),
    );
    expect([after.state, operations]).toEqual(['expired', ['retrieve', 'cancel', 'retrieve']]);
  });

  it('of which another one is open under its reference is withdrawn by that number', async () => {
    const keys: unknown[] = [];
    let [other] = [{ ...open, confirmationNumber: 'CN2', ref: { booking: 'B2' } }];
    const { after } = await checked(
      {
        retrieve: ({ confirmationNumber }) => (confirmationNumber === 'CN1' ? [] : [other]),
        cancel: ({ confirmationNumber, ref }) => {
          keys.push(confirmationNumber, ref.booking);
          other = { ...other, status: 'cancelled' };
        },
      },
      pickupIn(-3),
    );
    expect([after.state, keys]).toEqual(['expired', ['CN2', 'B2']]);
  });

  it('whose renter has announced to come later is open until then', async () => {
    const made = pickupIn(-1);
    const arriving = (hours: number, pickupLater = true) => {
      const arrivesAt = new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19);
      const dropoffDate = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 19);
      const arrival = { carrierCode: 'BA', flightNumber: '349', arrivesAt };
      return {
        ...made,
        rental: { ...made.rental, pickupLater, dropoffDate },
        personal: { ...samplePersonal, arrival },
      };
    };
    const { personal: _erased, ...erased } = arriving(-48);
    const untimed = { ...arriving(-48), personal: samplePersonal };
    const states = [arriving(24), arriving(24, false), arriving(-48), erased, untimed].map(async (reservation) => {
      const { after } = await checked(asked('cancelled'), reservation);
      return after.state;
    });
    expect(await Promise.all(states)).toEqual(['on_request', 'expired', 'expired', 'on_request', 'on_request']);
  });

  it.each<[string, object, State]>([
    ['the airport is known', { iataCode: 'BOS' }, 'expired'],
    ['it may not be that time there yet', { supplierCode: 'X77' }, 'on_request'],
  ])('that is still open after the local time of the pickup in New York, if %s: %s', async (_what, place, state) => {
    const reservation = pickupIn(-8 / 24);
    const rental = { ...reservation.rental, pickup: { countryCode: 'US', ...place } };
    expect((await checked(asked('cancelled'), { ...reservation, rental })).after.state).toBe(state);
  });

  it('that arrived twice is the accepted one, if the supplier rejects or forgets the other', async () => {
    const keys: (string | undefined)[] = [];
    for (const own of [[{ ...booking, status: 'rejected' }], []] as const) {
      const retrieve = ({ confirmationNumber }: BookingKey) => {
        keys.push(confirmationNumber);
        return confirmationNumber === 'CN1' ? own : [...own, { ...booking, confirmationNumber: 'CN2' }];
      };
      const { after } = await checked({ retrieve }, pickupIn(3));
      expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN2' });
    }
    expect(keys).toEqual(['CN1', undefined, 'CN1', undefined]);
  });

  it('to which the supplier gives another number when it accepts it is found by its reference', async () => {
    const retrieve = ({ confirmationNumber }: BookingKey) =>
      confirmationNumber === undefined ? [{ ...booking, confirmationNumber: 'CN9' }] : fail('bad_payload');
    const { after } = await checked({ retrieve }, pickupIn(3));
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN9' });
  });

  it('that cannot be retrieved goes to manual review after the pickup', async () => {
    const silent = { retrieve: () => fail('unavailable') };
    expect((await checked(silent, pickupIn(3))).after.state).toBe('on_request');
    const late = { ...pickupIn(-3), updatedAt: Date.now() - REVIEW_MS - 1_000 };
    expect((await checked(silent, late)).after.state).toBe('manual_review');
  });

  it('that arrived twice and was accepted twice goes to manual review, with an alarm', async () => {
    const before = await doubles();
    const others = ['CN2', 'CN3'].map((confirmationNumber) => ({ ...booking, confirmationNumber }));
    const retrieve = ({ confirmationNumber }: BookingKey): readonly SupplierBooking[] =>
      confirmationNumber === undefined ? others : [{ ...booking, status: 'on_request' }];
    const { after } = await checked({ retrieve }, pickupIn(-3));
    expect([after.state, (await doubles()) - before]).toEqual(['manual_review', 1]);
  });

  it('that is rejected is rejected only once the supplier shows no other one, and is then looked up once more', async () => {
    const rejected: SupplierBooking = { ...booking, status: 'rejected' };
    const { after, operations } = await checked({ retrieve: () => [rejected] }, pickupIn(3));
    expect([after.state, operations]).toEqual(['rejected', ['retrieve', 'retrieve']]);
    expect(after.nextCheckAt).toBe(after.updatedAt + SETTLE_MS);
    const silent = ({ confirmationNumber }: BookingKey) =>
      confirmationNumber === undefined ? fail('timeout') : [rejected];
    expect((await checked({ retrieve: silent }, pickupIn(3))).after.state).toBe('rejected');
    const unasked = await checked({ findsByReference: false, retrieve: () => [rejected] }, pickupIn(3));
    expect([unasked.after.state, unasked.operations]).toEqual(['rejected', ['retrieve']]);
  });

  it('does not undo a cancellation that started during the check', async () => {
    const reservation = pickupIn(3);
    const { reconciler, repository, now } = setup(
      {
        retrieve: () => {
          const cancelling = moved(now(reservation.id), {
            to: 'cancel_pending',
            actor: 'application',
            reason: 'requested',
            at: Date.now(),
          });
          repository.has(cancelling);
          return [booking];
        },
      },
      reservation,
    );
    await reconciler.checkOnce();
    expect(now(reservation.id).state).toBe('cancel_pending');
  });
});

describe('a supplier that is no longer configured', () => {
  /** No gateway made its check for more than an hour. */
  const LEFT = { nextCheckAt: Date.now() - 3_700_000 };

  it.each<[State, number, State]>([
    ['pending', 0, 'unknown'],
    ['unknown', REVIEW_MS - 5_000, 'unknown'],
    ['unknown', REVIEW_MS + 5_000, 'manual_review'],
    ['cancel_unknown', REVIEW_MS + 5_000, 'manual_review'],
    ['on_request', REVIEW_MS - 5_000, 'on_request'],
    ['on_request', REVIEW_MS + 5_000, 'manual_review'],
  ])('%s, %i ms after the call: %s', async (state, ageMs, expected) => {
    const { after, operations } = await checked({ gone: true }, due(state, ageMs, LEFT));
    expect([after.state, operations]).toEqual([expected, []]);
    expect(after.nextCheckAt !== undefined).toBe(expected !== 'manual_review');
  });

  it.each(['confirmed', 'cancelled', 'rejected', 'failed'] as const)('%s: it is checked no more', async (state) => {
    expect((await checked({ gone: true }, due(state, 0, LEFT))).after).not.toHaveProperty('nextCheckAt');
  });

  it.each(['failed', 'confirmed', 'unknown'] as const)(
    '%s: other gateways have an hour for the check',
    async (state) => {
      const reservation = due(state, REVIEW_MS + 5_000);
      const { reconciler, now } = setup({ gone: true }, reservation);
      expect(await reconciler.checkOnce()).toBe(0);
      expect(now(reservation.id)).toEqual(reservation);
    },
  );
});

describe('the check rounds', () => {
  it.each([
    [0, 2_000],
    [1, 4_000],
    [4, 32_000],
    [7, 256_000],
    [8, 300_000],
    [1_000, 300_000],
  ])('wait after check %i for about %i ms', async (checks, pauseMs) => {
    const reservation = { ...due('unknown'), checks: checks - 1 };
    const { reconciler, repository } = setup({ retrieve: () => fail('timeout') }, reservation);
    const startedAt = Date.now();
    await reconciler.checkOnce();
    const [check] = repository.checks;
    expect((check?.at ?? 0) - startedAt).toBeGreaterThanOrEqual(pauseMs * 0.8);
    expect((check?.at ?? 0) - startedAt).toBeLessThan(pauseMs * 1.2 + 500);
  });

  it('take as many reservations as an account has places, and identify each call by its reservation and check', async () => {
    const { reconciler, requestIds, repository } = setup({}, ...Array.from({ length: 12 }, () => due('unknown')));
    expect([await reconciler.checkOnce(), await reconciler.checkOnce(), await reconciler.checkOnce()]).toEqual([
      7, 5, 0,
    ]);
    expect(requestIds.sort()).toEqual([...repository.reservations.keys()].map((id) => `rec_${id.slice(4)}_1`).sort());
  });

  it('continue with the others if one check fails', async () => {
    const bug = due('unknown', 0, {}, { id: 'res_bug' });
    const good = due('unknown');
    const retrieve = ({ reference }: BookingKey) => {
      if (reference === 'res_bug') throw new TypeError('a bug');
      return [booking];
    };
    const { reconciler, now, lines } = setup({ retrieve }, bug, good);
    await reconciler.checkOnce();
    expect([now(good.id).state, now('res_bug').state, lines]).toEqual([
      'confirmed',
      'unknown',
      ['could not check a reservation'],
    ]);
  });

  it('leave reservations that are not due alone', async () => {
    const { reconciler, operations } = setup(
      {},
      { ...sampleReservation(), nextCheckAt: Date.now() + 60_000 },
      reservationIn('confirmed'),
    );
    expect([await reconciler.checkOnce(), operations]).toEqual([0, []]);
  });

  it('run from the start of the process until its shutdown, which waits for the current round', async () => {
    const reservation = due('unknown');
    const { reconciler, repository, now } = setup({ retrieve: () => [booking] }, reservation);
    reconciler.onApplicationBootstrap();
    await wait(150);
    expect(now(reservation.id).state).toBe('confirmed');
    await reconciler.onApplicationShutdown();
    repository.has(due('unknown', 0, {}, { id: 'res_later' }));
    await wait(150);
    expect(now('res_later').state).toBe('unknown');
  });

  it('of a supplier with many follow each other, ten concurrently, without waiting for the next round', async () => {
    let [inProgress, most] = [0, 0];
    const retrieve = async () => {
      inProgress += 1;
      most = Math.max(most, inProgress);
      await wait(10);
      inProgress -= 1;
      return [booking];
    };
    const many = Array.from({ length: 200 }, (_, index) => due('unknown', 0, {}, { id: `res_${index}` }));
    // Twenty rounds of ten would take 40 s.
    const { reconciler, now } = setup({ times: { checkEveryMs: 2_000 }, retrieve }, ...many);
    reconciler.onApplicationBootstrap();
    const isDone = () => many.every(({ id }) => now(id).state === 'confirmed');
    for (let left = 200; left > 0 && !isDone(); left -= 1) await wait(50);
    await reconciler.onApplicationShutdown();
    expect(isDone()).toBe(true);
    // Ten may be taken when nine are in progress.
    expect(most).toBeLessThan(20);
  });

  it('check unknown outcomes while a supplier has more undecided requests than it answers', async () => {
    const answers: (() => void)[] = [];
    const retrieve = async ({ reference }: BookingKey) => {
      if (reference?.startsWith('res_request')) await new Promise<void>((resolve) => answers.push(resolve));
      return [booking];
    };
    const requests = Array.from({ length: 30 }, (_, index) => due('on_request', 0, {}, { id: `res_request${index}` }));
    const { reconciler, now } = setup({ retrieve }, ...requests, due('unknown', 0, {}, { id: 'res_awaited' }));
    reconciler.onApplicationBootstrap();
    for (let left = 200; left > 0 && now('res_awaited').state !== 'confirmed'; left -= 1) await wait(50);
    expect(now('res_awaited').state).toBe('confirmed');
    while (requests.some(({ id }) => now(id).state === 'on_request')) {
      for (const answer of answers.splice(0)) answer();
      await wait(5);
    }
    await reconciler.onApplicationShutdown();
  });

  it.each([
    [60, 300],
    [3_600, 300],
    [21_600, 1_800],
    [86_400, 3_600],
  ])('ask about a request that was made %i s ago after about %i s', async (ageSeconds, pauseSeconds) => {
    const pickupDate = new Date(Date.now() + 9 * 86_400_000).toISOString().slice(0, 19);
    const patch = { confirmationNumber: 'CN1', rental: { ...sampleRental, pickupDate } };
    const request = { ...due('on_request', ageSeconds * 1_000, patch), checks: 1_000 };
    const open: SupplierBooking = { ...booking, status: 'on_request' };
    const { reconciler, repository } = setup({ retrieve: () => [open] }, request);
    await reconciler.checkOnce();
    const pause = ((repository.checks[0]?.at ?? 0) - Date.now()) / 1_000;
    expect(pause).toBeGreaterThan(pauseSeconds * 0.8 - 5);
    expect(pause).toBeLessThan(pauseSeconds * 1.2 + 1);
  });

  it('ask about a request when the rental begins', async () => {
    const pickupDate = new Date(Date.now() + 30_000).toISOString().slice(0, 19);
    const pickup = { ...sampleRental.pickup, countryCode: 'GB', timeZone: 'UTC' };
    const patch = { confirmationNumber: 'CN1', rental: { ...sampleRental, pickup, pickupDate } };
    const open: SupplierBooking = { ...booking, status: 'on_request' };
    const { reconciler, repository } = setup(
      { retrieve: () => [open] },
      { ...due('on_request', 0, patch), checks: 1_000 },
    );
    await reconciler.checkOnce();
    expect(repository.checks[0]?.at).toBe(Date.parse(`${pickupDate}Z`));
  });

  it('continue after the database was unavailable', async () => {
    const reservation = due('unknown');
    const { reconciler, repository, now } = setup({ retrieve: () => [booking] }, reservation);
    const takeDue = repository.takeDue.bind(repository);
    let forgot = 0;
    repository.takeDue = () => Promise.reject(new Error('away'));
    repository.unclear = () => Promise.reject(new Error('away'));
    repository.forgetKeys = async () => {
      forgot += 1;
    };
    reconciler.onApplicationBootstrap();
    await wait(150);
    // A statement that fails doesn't prevent others.
    expect(forgot).toBe(1);
    repository.takeDue = takeDue;
    await wait(150);
    expect(now(reservation.id).state).toBe('confirmed');
    await reconciler.onApplicationShutdown();
  });
});

describe('a failed booking', () => {
  const LATE = { lateCheckSeconds: [300, 3_600, 86_400] };
  const failed = (ageMs: number, patch: Patch = {}): Reservation => due('failed', ageMs, patch);
  const late: SupplierBooking = { ...booking, confirmationNumber: 'LATE1' };

  it.each([
    [300_000, 3_600_000],
    [3_600_000, 86_400_000],
    [86_400_000, undefined],
  ])('is looked up again after %i ms; if the supplier has no such booking, next after %s ms', async (ageMs, nextMs) => {
    const { after, operations } = await checked({ times: LATE }, failed(ageMs + 1_000));
    expect([after.state, operations]).toEqual(['failed', ['retrieve']]);
    if (nextMs === undefined) expect(after).not.toHaveProperty('nextCheckAt');
    else expect(after.nextCheckAt).toBeLessThanOrEqual(after.updatedAt + nextMs);
  });

  it('is looked up first as soon as it fails, unless that is switched off', async () => {
    const watched = await checked({}, due('unknown', SETTLE_MS + 5_000));
    expect(watched.after).toMatchObject({ state: 'failed', nextCheckAt: watched.after.updatedAt + 300_000 });
    const unwatched = await checked({ times: { lateCheckSeconds: [] } }, due('unknown', SETTLE_MS + 5_000));
    expect(unwatched.after).not.toHaveProperty('nextCheckAt');
  });

  it('whose last look gets no answer is looked up until it gets one, for as long as any unknown outcome', async () => {
    const silent = { retrieve: () => fail('unavailable') };
    expect((await checked(silent, failed(86_401_000))).after).toHaveProperty('nextCheckAt');
    expect((await checked(silent, failed(86_401_000 + REVIEW_MS))).after).not.toHaveProperty('nextCheckAt');
  });

  it.each<[Config['reservations']['lateBookings'], State]>([
    ['review', 'manual_review'],
    ['confirm', 'confirmed'],
    ['cancel', 'cancel_unknown'],
  ])('that the supplier shows later is not failed: with lateBookings %s it becomes %s', async (lateBookings, state) => {
    const before = await lateBookingsOf();
    const behavior = { times: { lateBookings }, retrieve: () => [late] };
    const { after } = await checked(behavior, failed(300_000));
    expect(after).toMatchObject({ state, confirmationNumber: 'LATE1', history: expect.any(Array) });
    expect(after.history.at(-1)).toMatchObject({ from: 'failed', to: state, actor: 'reconciler' });
    expect(await lateBookingsOf()).toBe(before + 1);
  });

  it('that is to be cancelled is cancelled at the supplier by its number', async () => {
    const cancelled: (string | undefined)[] = [];
    const { reconciler, now, repository } = setup(
      {
        times: { lateBookings: 'cancel' },
        retrieve: () => [late],
        cancel: ({ confirmationNumber }) => void cancelled.push(confirmationNumber),
      },
      failed(300_000, {}),
    );
    const [id = ''] = [...repository.reservations.keys()];
    await reconciler.checkOnce();
    await reconciler.checkOnce();
    expect([now(id).state, cancelled]).toEqual(['cancelled', ['LATE1']]);
  });

  it('whose cancellation the supplier refuses goes to manual review: the caller may know that nothing is booked', async () => {
    const made = { ...cancelUnknownFrom('failed', { confirmationNumber: 'LATE1' }), ...dueSince(SETTLE_MS + 1_000) };
    const { after, lines } = await checked({ retrieve: () => [late], cancel: () => fail('rejected') }, made);
    expect(after.state).toBe('manual_review');
    expect(lines).toContain('this reservation needs manual review: run gw reservation resolve');
  });

  it('of which the supplier shows several goes to manual review, whatever the policy', async () => {
    const two = [late, { ...late, confirmationNumber: 'LATE2' }];
    const doubled = await doubles();
    const { after } = await checked({ times: { lateBookings: 'confirm' }, retrieve: () => two }, failed(300_000));
    expect([after.state, (await doubles()) - doubled]).toEqual(['manual_review', 1]);
  });

  it.each(['confirm', 'cancel'] as const)(
    'for other dates goes to manual review with lateBookings %s',
    async (lateBookings) => {
      const other = { ...late, pickupDate: '2027-02-02T10:00:00' };
      const retrieve = ({ reference }: BookingKey) => [{ ...other, reference }];
      const { after } = await checked({ times: { lateBookings }, retrieve }, failed(300_000));
      expect(after.state).toBe('manual_review');
    },
  );

  it('of a supplier that cannot find bookings by reference is not looked up', async () => {
    const { after, operations } = await checked({ findsByReference: false }, failed(300_000));
    expect([operations, 'nextCheckAt' in after]).toEqual([[], false]);
  });
});

describe('a reservation about which the journal has a later line, after a restore', () => {
  const confirmed = { confirmationNumber: 'CN1' };
  const strays = [{ number: 'CN2', ref: {}, cancel: true }];
  const past = { ...sampleRental, pickupDate: '2020-02-01T10:00:00' };
  const requested: readonly SupplierBooking[] = [{ ...booking, status: 'on_request' }];
  const held: readonly SupplierBooking[] = [{ status: 'held', ref: { holdId: 'H1' } }];
  /** The time of the last line, after what was begun last. */
  const lineOf = ({ id, history }: Reservation, afterMs: number) => {
    const begun = history.findLast(({ to }) => to.endsWith('pending'))?.at ?? 0;
    return { ref: id, at: new Date(begun + afterMs).toISOString() };
  };
  const cases: readonly [string, Reservation, Partial<SupplierBehavior>, string][] = [
    ['a change', due('modify_pending', SETTLE_MS + 1, { change, ...confirmed }), {}, 'modify'],
    ['a cancellation', due('cancel_pending', 0, confirmed), {}, 'cancel'],
    ['the cancellation of a second booking', due('confirmed', 0, { ...confirmed, strays }), {}, 'cancel'],
    [
      'the withdrawal of a request',
      due('on_request', 0, { ...confirmed, rental: past }),
      { retrieve: () => requested },
      'cancel',
    ],
    ['the release of a hold', due('unknown', SETTLE_MS + 1_000), { retrieve: () => held }, 'cancel'],
  ];

  it.each(cases)('goes to manual review, and %s is not sent again', async (_what, made, behavior, operation) => {
    const { after, operations } = await checked({ ...behavior, lines: [lineOf(made, 5_000)] }, made);
    expect(after).toMatchObject({ state: 'manual_review' });
    expect(after).not.toHaveProperty('nextCheckAt');
    expect(after.history.at(-1)?.reason).toContain('restored to an earlier time');
    expect(operations).not.toContain(operation);
  });

  it.each(cases)('of which the database has the line: %s is sent again', async (_what, made, behavior, operation) => {
    for (const afterMs of [-1, 0]) {
      const { operations } = await checked({ ...behavior, lines: [lineOf(made, afterMs)] }, made);
      expect(operations).toContain(operation);
    }
  });

  it('is still found at the supplier, which sends nothing', async () => {
    const made = due('unknown');
    const { after } = await checked({ retrieve: () => [booking], lines: [lineOf(made, 5_000)] }, made);
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1' });
  });
});

it('one booking that the supplier lists in several rows, in whatever case, is one booking in every state', async () => {
  const before = await doubles();
  const behavior = {
    retrieve: () => [booking, { ...booking, confirmationNumber: 'cn1' }, { ...booking }],
    times: { lateBookings: 'confirm' as const },
  };
  for (const made of [
    due('unknown'),
    due('failed', 300_000),
    due('confirmed', SETTLE_MS, { confirmationNumber: 'CN1' }),
    due('cancelled', SETTLE_MS, { confirmationNumber: 'CN1' }),
  ]) {
    const { after } = await checked(behavior, made);
    expect(after.state).toBe(made.state === 'cancelled' ? 'cancelled' : 'confirmed');
    expect(after).not.toHaveProperty('strays');
  }
  expect(await doubles()).toBe(before);
});

describe('an extra that the supplier has not confirmed', () => {
  const seat = [{ code: 'CSI', quantity: 1 }];
  const open = { extraNotices: [{ status: 'on_request' as const, codes: ['CSI'] }] };
  const view = { ...sampleView, booked_differently: { sipp_code: 'MBMR', unconfirmed_extras: ['CSI'] } };
  const bookedIn = (days: number, patch: Patch = {}) => {
    const pickupDate = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19);
    const rental: Rental = { ...sampleRental, pickupDate };
    return due('confirmed', REVIEW_MS, { rental, view, confirmationNumber: 'CN1', ...patch });
  };
  const differences = ({ view }: Reservation) => view.booked_differently;

  it.each<[string, Partial<SupplierBooking>, object, boolean]>([
    ['is confirmed once it is listed', { extras: seat }, { sipp_code: 'MBMR' }, false],
    ['is missing once it is not', { extras: [] }, { sipp_code: 'MBMR', missing_extras: ['CSI'] }, false],
    ['is looked up again if it is still on request', { extras: seat, ...open }, view.booked_differently, true],
    ['is looked up again if the supplier says nothing', {}, view.booked_differently, true],
    ['changes nothing else', { extras: seat, sippCode: 'ECMR' }, { sipp_code: 'MBMR' }, false],
  ])('%s', async (_what, shown, expected, isOpen) => {
    const before = bookedIn(5);
    const { after } = await checked({ retrieve: () => [{ ...booking, ...shown }] }, before);
    expect([after.state, differences(after)]).toEqual(['confirmed', expected]);
    expect([after.version - before.version, (after.nextCheckAt ?? 0) > Date.now()]).toEqual([isOpen ? 0 : 1, isOpen]);
    if (!isOpen) expect(after.history.at(-1)?.reason).toMatch(/^the supplier shows the extras, but with/);
  });

  it('shows that another one was removed at the supplier, which no change undoes', async () => {
    const { rental } = bookedIn(5);
    const extras = [...sampleRental.extras, { code: 'GPS', quantity: 1 }];
    const before = bookedIn(5, { rental: { ...rental, extras, stated: ['missing_extras'] } });
    const { after } = await checked({ retrieve: () => [{ ...booking, extras: seat }] }, before);
    expect(after.view).toMatchObject({
      booked_differently: { missing_extras: ['GPS'] },
      changed_later: ['missing_extras'],
    });
    const refused = await checked({ retrieve: () => [{ ...booking, extras: extras.slice(1) }] }, before);
    expect([differences(refused.after)?.missing_extras, refused.after.view.changed_later]).toEqual([
      ['CSI'],
      undefined,
    ]);
  });

  it.each<[string, SupplierBehavior, boolean]>([
    ['again if the look-up fails', { retrieve: () => fail('timeout'), findsByReference: false }, true],
    ['again if the supplier shows no booking', { findsByReference: false }, true],
  ])('is looked up %s', async (_when, behavior, isOpen) => {
    const { after, operations } = await checked(behavior, bookedIn(5));
    expect([operations, (after.nextCheckAt ?? 0) > Date.now()]).toEqual([['retrieve'], isOpen]);
    expect(differences(after)).toEqual(view.booked_differently);
  });

  it.each(['review', 'cancel'] as const)('is looked up again after a second booking, by policy: %s', async (policy) => {
    const second = { ...booking, confirmationNumber: 'CN2' };
    const behavior: SupplierBehavior = {
      times: { secondBookings: policy },
      retrieve: ({ confirmationNumber }) => (confirmationNumber ? [{ ...booking, extras: seat }] : [booking, second]),
    };
    let made = bookedIn(5);
    for (let move = 1; move <= (policy === 'cancel' ? 2 : 1); move += 1) {
      made = (await checked(behavior, { ...made, nextCheckAt: Date.now() - 1 })).after;
      expect([made.version, differences(made)]).toEqual([bookedIn(5).version + move, view.booked_differently]);
    }
    expect(made.nextCheckAt).toBeGreaterThan(Date.now());
    const shown = policy === 'cancel' ? { ...behavior, retrieve: () => [{ ...booking, extras: seat }] } : behavior;
    const { after } = await checked(shown, { ...made, nextCheckAt: Date.now() - 1 });
    expect([differences(after), after.nextCheckAt]).toEqual([{ sipp_code: 'MBMR' }, undefined]);
  });

  it.each([
    ['is confirmed', { extras: seat }],
    ['is still on request', { extras: seat, ...open }],
  ])(
    '%s with the number that the supplier has given the booking since, by which it is called from then on',
    async (_what, shown) => {
      const renumbered = { ...booking, ...shown, confirmationNumber: 'CN5', ref: { booking: 'B5' } };
      const { after } = await checked({ retrieve: () => [renumbered] }, bookedIn(5));
      expect(after).toMatchObject({
        state: 'confirmed',
        confirmationNumber: 'CN5',
        rental: { ref: { booking: 'B5' } },
      });
      expect(after.nextCheckAt === undefined).toBe(!('extraNotices' in shown));
    },
  );

  it('is not looked up after the pickup', async () => {
    const retrieve = () => [{ ...booking, extras: seat }];
    const { after, operations } = await checked({ retrieve, findsByReference: false }, bookedIn(-2));
    expect([operations, after.nextCheckAt]).toEqual([[], undefined]);
  });

  it('is not looked up while the supplier may still show the extras from before a change', async () => {
    const retrieve = () => [{ ...booking, extras: [] }];
    const before = { ...bookedIn(5), sentUntil: Date.now() - SETTLE_MS + 30_000 };
    const { after, operations } = await checked({ retrieve, findsByReference: false }, before);
    expect([operations, differences(after)]).toEqual([[], view.booked_differently]);
    expect(after.nextCheckAt).toBeLessThan(Date.now() + 31_000);
    const settled = await checked({ retrieve }, { ...before, sentUntil: before.sentUntil - 30_000 });
    expect(differences(settled.after)).toEqual({ sipp_code: 'MBMR', missing_extras: ['CSI'] });
  });

  it('is looked up after the same pause if another extra was changed', async () => {
    const reservation = { ...bookedIn(50), updatedAt: Date.now() - 20 * 86_400_000, checks: 30 };
    const extras = [...seat, { code: 'GPS', quantity: 1 }];
    const known = { ...view, extras: [{ ...sampleView.extras[0], extra_id: 'GPS', mandatory: false }] } as typeof view;
    const shown = { retrieve: () => [{ ...booking, extras, ...open }] };
    const { after } = await checked(shown, { ...reservation, view: known });
    expect(differences(after)).toMatchObject({ unconfirmed_extras: ['CSI'], other_extras: [{ extra_id: 'GPS' }] });
    expect((after.nextCheckAt ?? 0) - Date.now()).toBeGreaterThan(2_000_000);
  });

  it('is looked up hourly at most', async () => {
    const reservation = { ...bookedIn(50), updatedAt: Date.now() - 20 * 86_400_000, checks: 30 };
    const { after } = await checked({ findsByReference: false }, reservation);
    const pauseMs = (after.nextCheckAt ?? 0) - Date.now();
    expect([pauseMs > 2_000_000, pauseMs < 4_400_000]).toEqual([true, true]);
  });
});

describe('a second booking of one reference', () => {
  const second: SupplierBooking = { ...booking, confirmationNumber: 'CN2', ref: { booking: 'B2' } };
  const both = () => [booking, second];

  it('is found after a confirmation by its reference alone: alarm, history, and an entry for the operator', async () => {
    const keys: BookingKey[] = [];
    const before = await doubles();
    const behavior = {
      retrieve: (key: BookingKey) => {
        keys.push(key);
        return both();
      },
    };
    const { after, lines } = await checked(behavior, due('confirmed', SETTLE_MS, { confirmationNumber: 'CN1' }));
    expect(keys.map(({ confirmationNumber }) => confirmationNumber)).toEqual([undefined]);
    expect(after).toMatchObject({ state: 'confirmed', confirmationNumber: 'CN1', strays: [{ number: 'CN2' }] });
    expect(after.history.at(-1)).toMatchObject({ from: 'confirmed', to: 'confirmed', actor: 'reconciler' });
    expect([(await doubles()) - before, 'nextCheckAt' in after]).toEqual([1, false]);
    expect(JSON.stringify(lines)).toContain('DOUBLE BOOKING');
  });

  it('is looked for without success until review is due, which is logged', async () => {
    const behavior = { retrieve: () => fail('timeout') };
    const early = await checked(behavior, due('confirmed', SETTLE_MS, { confirmationNumber: 'CN1' }));
    expect([early.after.nextCheckAt !== undefined, early.lines]).toEqual([true, []]);
    const late = await checked(behavior, due('confirmed', REVIEW_MS + 1_000, { confirmationNumber: 'CN1' }));
    expect(late.after).not.toHaveProperty('nextCheckAt');
    expect(late.lines).toEqual(['whether the supplier has a second booking could not be determined']);
  });

  it.each(['cancelled', 'rejected'] as const)(
    'is found after a reservation is %s, for which a supplier may need a while',
    async (state) => {
      const cancelled = (ageMs: number) => due(state, ageMs, { confirmationNumber: 'CN1' });
      const other = await checked({ retrieve: () => [second] }, cancelled(SETTLE_MS));
      expect(other.after).toMatchObject({ state, strays: [{ number: 'CN2' }] });
      const own = await checked({ retrieve: () => [booking] }, cancelled(SETTLE_MS));
      expect(own.after).not.toHaveProperty('strays');
      expect(own.after).toHaveProperty('nextCheckAt');
      const late = await checked({ retrieve: () => [booking] }, cancelled(REVIEW_MS + 1_000));
      expect(late.after).toMatchObject({ strays: [{ number: 'CN1' }] });
    },
  );

  it('does not exist if the supplier shows one booking, even under another number, or none', async () => {
    const before = await doubles();
    const one = await checked({ retrieve: () => [second] }, due('confirmed', 0, { confirmationNumber: 'CN1' }));
    const none = await checked({}, due('cancelled', 0, { confirmationNumber: 'CN1' }));
    const unlisted = await checked({ retrieve: () => [] }, due('confirmed', 0, { confirmationNumber: 'CN1' }));
    for (const { after } of [one, none, unlisted]) {
      expect(after).not.toHaveProperty('strays');
      expect(after).not.toHaveProperty('nextCheckAt');
    }
    expect([unlisted.after.state, (await doubles()) - before]).toEqual(['confirmed', 0]);
    expect(JSON.stringify(unlisted.lines)).toContain('shows no active booking of a confirmed reservation');
    expect(JSON.stringify(one.lines)).not.toContain('shows no active booking');
  });

  it.each(['confirmed', 'cancelled'] as const)(
    'of a %s reservation is cancelled if that is the policy',
    async (state) => {
      const book = new Map(both().map((one) => [one.confirmationNumber, one]));
      if (state === 'cancelled') book.delete('CN1');
      const { reconciler, now, repository } = setup(
        {
          times: { secondBookings: 'cancel' },
          retrieve: () => [...book.values()],
          cancel: ({ confirmationNumber }) => void book.delete(confirmationNumber),
        },
        due(state, SETTLE_MS, { confirmationNumber: 'CN1' }),
      );
      const [id = ''] = [...repository.reservations.keys()];
      await reconciler.checkOnce();
      expect(now(id).strays).toMatchObject([{ number: 'CN2', cancel: true }]);
      await reconciler.checkOnce();
      expect([now(id).state, now(id).strays, [...book.keys()]]).toEqual([
        state,
        undefined,
        state === 'confirmed' ? ['CN1'] : [],
      ]);
    },
  );

  it.each(['confirmed', 'cancelled'] as const)(
    'is not cancelled if its number is that of another reservation, and left to the operator: %s',
    async (state) => {
      const strays = [{ number: 'CN2', ref: {}, cancel: true }];
      const own = due(state, 0, { confirmationNumber: 'CN1', strays });
      const { reconciler, now, repository, operations } = setup({}, own);
      const [id = ''] = [...repository.reservations.keys()];
      repository.has({
        ...now(id),
        id: 'res_other',
        confirmationNumber: 'CN2',
        state: 'confirmed',
        nextCheckAt: undefined,
      });
      await reconciler.checkOnce();
      expect([operations, now(id).strays]).toEqual([[], [{ number: 'CN2', ref: {}, cancel: false }]]);
    },
  );

  it('whose cancellation the supplier refuses stays with the operator; without an answer it is tried again', async () => {
    const strays = [{ number: 'CN2', ref: {}, cancel: true }];
    const reservation = () => due('confirmed', 0, { confirmationNumber: 'CN1', strays });
    const refused = await checked({ cancel: () => fail('rejected', 'not_changeable') }, reservation());
    expect(refused.after.strays).toMatchObject([{ number: 'CN2', cancel: false }]);
    expect(refused.after).not.toHaveProperty('nextCheckAt');
    const silent = await checked({ cancel: () => fail('timeout') }, reservation());
    expect(silent.after.strays).toEqual(strays);
    expect(silent.after).toHaveProperty('nextCheckAt');
  });

  it('is not taken for the own one, which the supplier shows as cancelled: manual review', async () => {
    const listed = [{ ...booking, status: 'cancelled' as const }, second];
    const { after } = await checked({ retrieve: () => listed }, due('confirmed', 0, { confirmationNumber: 'CN1' }));
    expect([after.state, after.history.at(-1)?.reason]).toEqual([
      'manual_review',
      'the supplier shows another active booking, and none with the confirmation number',
    ]);
  });

  it('cannot be recognized if the supplier shows several and none has the own number: manual review', async () => {
    const others = [
      { ...booking, confirmationNumber: 'CN1-US' },
      { ...second, confirmationNumber: 'CN2-US' },
    ];
    const behavior = { times: { secondBookings: 'cancel' as const }, retrieve: () => others };
    const { after, operations } = await checked(behavior, due('confirmed', 0, { confirmationNumber: 'CN1' }));
    expect([after.state, operations, 'strays' in after]).toEqual(['manual_review', ['retrieve'], false]);
    const lower = [{ ...booking, confirmationNumber: 'cn1' }, second];
    const known = await checked({ retrieve: () => lower }, due('confirmed', 0, { confirmationNumber: 'CN1' }));
    expect(known.after.strays).toMatchObject([{ number: 'CN2' }]);
  });

  it('that is to be cancelled is cancelled even after erasure, and left to the operator if that stays unclear', async () => {
    const strays = [{ number: 'CN2', ref: {}, cancel: true }];
    const { personal: _erased, ...erased } = due('confirmed', 0, { confirmationNumber: 'CN1', strays });
    const done = await checked({}, erased);
    expect([done.operations, 'strays' in done.after]).toEqual([['cancel'], false]);
    const late = due('confirmed', REVIEW_MS + 1_000, { confirmationNumber: 'CN1', strays });
    const silent = await checked({ cancel: () => fail('timeout') }, late);
    expect(silent.after.strays).toMatchObject([{ number: 'CN2', cancel: false }]);
    expect(silent.after).not.toHaveProperty('nextCheckAt');
  });

  it('is not looked for without the name of the renter, which the supplier may need', async () => {
    const { personal: _erased, ...erased } = due('confirmed', 0, { confirmationNumber: 'CN1' });
    expect((await checked({ retrieve: both }, erased)).operations).toEqual([]);
  });
});
