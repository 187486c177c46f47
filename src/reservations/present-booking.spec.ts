import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { RequestContext } from '../context/request-context.js';
import type { ChangeKind, SupplierBooking } from '../model/bookings.js';
import { type Fault, type SupplierAdapter, type SupplierContext, SupplierError } from '../model/supplier.js';
import type { Supplier } from '../suppliers/registry.js';
import type { CallOptions, SupplierCalls } from '../suppliers/supplier-call.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { BookingLookup } from './booking-lookup.js';
import { MemoryRepository } from './fixtures/memory-repository.js';
import { reservationIn, samplePersonal, sampleRental, sampleView } from './fixtures/sample-reservation.js';
import { PresentBooking } from './present-booking.js';
import type { BookedView, Rental, Reservation } from './reservation.js';
import { ReservationWriter } from './reservation-writer.js';

const booking: SupplierBooking = { status: 'confirmed', confirmationNumber: 'CN1', ref: {} };
const view: BookedView = { ...sampleView, vehicle: { ...sampleView.vehicle, sipp_code: 'ECMR' } };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A change of these kinds at a supplier with this adapter: its outcome, what it left stored, and the timeouts of the look-ups. */
async function changed(
  adapter: Partial<SupplierAdapter>,
  {
    kinds = ['contact'],
    known = view,
    stated = ['sipp_code', 'pickup_code', 'missing_extras'],
    ageMs = 0,
    betweenMs = 0,
    sentMsAgo = 120_000,
    isOvertaken = false,
  }: {
    readonly kinds?: readonly ChangeKind[];
    readonly known?: BookedView;
    readonly stated?: Rental['stated'];
    readonly ageMs?: number;
    readonly betweenMs?: number;
    readonly sentMsAgo?: number;
    readonly isOvertaken?: boolean;
  } = {},
) {
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'] });
  const connection = new SupplierConnection(config, { brandsPerCall: 'many', ...adapter }, 'http://127.0.0.1:9');
  closing.push(() => connection.close());
  const supplier: Supplier = { id: 'uno', name: 'Uno', config, connection };
  const timeouts: (number | undefined)[] = [];
  const calls: Pick<SupplierCalls, 'call'> = {
    call: async (of, _operation, _context, run, options?: CallOptions) => {
      timeouts.push(options?.timeoutMs);
      return run(of.connection.adapter, {} as SupplierContext);
    },
  };
  const rental: Rental = { ...sampleRental, ...(stated && { stated }) };
  const sentUntil = Date.now() - sentMsAgo;
  const reservation = { ...reservationIn('confirmed', { rental, view: known, confirmationNumber: 'CN1' }), sentUntil };
  const repository = new MemoryRepository().has(
    isOvertaken ? { ...reservation, version: reservation.version + 1 } : reservation,
  );
  const settings = configSchema.parse({});
  const logger = pino({ level: 'silent' });
  const present = new PresentBooking(
    new BookingLookup(calls as SupplierCalls, { aheadMs: () => 0 }, logger),
    new ReservationWriter(repository.asRepository, settings, logger),
    repository.asRepository,
    settings,
  );
  const context = Object.assign(new RequestContext('req_1', Date.now()), { clockedAt: performance.now() - ageMs });
  let before: SupplierBooking | undefined;
  let sent: Reservation | undefined;
  let details: string | undefined;
  const outcome = await present
    .beforeChange(reservation, { kinds, personal: samplePersonal }, supplier, context, betweenMs)
    .then((found) => {
      before = found;
      // A new rental is never refused by it.
      return kinds.includes('rental') ? undefined : present.refuseUndoing(reservation, kinds, supplier, found);
    })
    .then(
      (checked) => {
        sent = checked;
        return 'sent';
      },
      ({ problems: [problem] }) => {
        details = problem.details;
        return problem.cause ?? problem.reason;
      },
    );
  const stored = repository.reservations.get(reservation.id);
  return {
    outcome,
    timeouts,
    before,
    details,
    stated: sent?.rental.stated,
    shown: stored?.view.booked_differently,
    stored,
    rows: (stored?.version ?? 0) - reservation.version,
  };
}

const showing = (...items: Partial<SupplierBooking>[]): Partial<SupplierAdapter> => ({
  retrieve: async () => ({ items: items.map((one) => ({ ...booking, ...one })), warnings: [] }),
});
const failing = (fault: Fault): Partial<SupplierAdapter> => ({
  retrieve: () => Promise.reject(new SupplierError(fault, 'no')),
});
const LATER = { pickupDate: '2027-02-02T10:00:00', dropoffDate: '2027-02-05T10:00:00' };
const LAX = { code: 'LAX', iataCode: 'LAX' };

describe('a change is refused, and the difference recorded, if the supplier now has', () => {
  it.each<[string, Partial<SupplierBooking>, object]>([
    ['other times', LATER, { pickup_date: LATER.pickupDate, dropoff_date: LATER.dropoffDate }],
    ['another return', { dropoffDate: LATER.dropoffDate }, { dropoff_date: LATER.dropoffDate }],
    ['another place', { pickup: LAX }, { pickup_code: 'LAX' }],
    ['another class', { sippCode: 'MBMR' }, { sipp_code: 'MBMR' }],
    ['fewer extras', { extras: [] }, { missing_extras: ['CSI'] }],
  ])('%s, even when it is asked for again', async (_what, more, shown) => {
    const first = await changed(showing(more));
    expect([first.outcome, first.shown, first.rows]).toEqual(['booked_differently', shown, 1]);
    expect(first.stored?.state).toBe('confirmed');
    const again = await changed(showing(more), { known: first.stored?.view ?? view });
    expect([again.outcome, again.shown, again.rows]).toEqual(['booked_differently', shown, 0]);
    // Once it is as accepted, so is the reservation.
    const { pickupDate, dropoffDate } = first.stored?.rental ?? {};
    const asAccepted = { pickupDate, dropoffDate, sippCode: 'ecmr', pickup: { code: 'BOS', iataCode: 'BOS' } };
    const extras = [{ code: 'CSI', quantity: 1 }];
    const back = await changed(showing({ ...asAccepted, extras } as never), { known: first.stored?.view ?? view });
    expect([back.outcome, back.stored?.view]).toEqual(['sent', view]);
  });

  it('with the total that is charged for it', async () => {
    const total = { amountMinor: 20_000, currency: 'USD' };
    expect((await changed(showing({ ...LATER, total }))).stored?.priceDrift?.actual).toEqual(total);
  });
});

it('a booking that the supplier has given another number since is the one that is changed, under that number', async () => {
  const renumbered = { confirmationNumber: 'CN2', ref: { booking: 'B2' } };
  const other = await changed(showing({ ...LATER, ...renumbered }));
  expect([other.outcome, other.shown, other.rows]).toEqual([
    'booked_differently',
    { pickup_date: LATER.pickupDate, dropoff_date: LATER.dropoffDate },
    1,
  ]);
  const same = await changed(showing(renumbered));
  expect([same.outcome, same.rows]).toEqual(['sent', 1]);
  for (const { stored } of [other, same])
    expect(stored).toMatchObject({
      confirmationNumber: 'CN2',
      rental: { ref: { ...sampleRental.ref, booking: 'B2' } },
    });
});

it('what the supplier states for the first time refuses nothing, but what it changes after that does', async () => {
  const first = await changed(showing({ sippCode: 'ecmr', extras: [] }), { stated: [] });
  expect([first.outcome, first.shown, first.stated]).toEqual([
    'sent',
    { missing_extras: ['CSI'] },
    ['sipp_code', 'missing_extras'],
  ]);
  const known = first.stored?.view ?? view;
  const same = await changed(showing({ sippCode: 'ECMR', extras: [] }), { known, stated: first.stated });
  expect([same.outcome, same.rows]).toEqual(['sent', 0]);
  expect((await changed(showing({ sippCode: 'MBMR' }), { known, stated: first.stated })).outcome).toBe(
    'booked_differently',
  );
});

it('extras that the staff removed stay known while a change of extras is not made', async () => {
  const without = showing({ extras: [] });
  const extras = await changed(without, { kinds: ['extras'] });
  expect([extras.outcome, extras.shown]).toEqual(['sent', { missing_extras: ['CSI'] }]);
  const known = extras.stored?.view ?? view;
  expect((await changed(without, { known })).outcome).toBe('booked_differently');
});

describe('until the supplier surely shows what it was sent last,', () => {
  const sentMsAgo = 110_000;

  it('a difference refuses the change, but is not taken as made there', async () => {
    const { outcome, details, shown, rows } = await changed(showing(LATER), { sentMsAgo });
    expect([outcome, shown, rows]).toEqual(['unavailable', undefined, 0]);
    expect(details).toMatch(/ pickup_date, dropoff_date .* Retry in (9|10) seconds/);
  });

  it('one that was known before refuses it as such', async () => {
    const known = (await changed(showing({ sippCode: 'MBMR' }))).stored?.view ?? view;
    const { outcome, rows } = await changed(showing({ sippCode: 'MBMR' }), { known, sentMsAgo });
    expect([outcome, rows]).toEqual(['booked_differently', 0]);
  });

  it('nothing is recorded', async () => {
    const { outcome, rows, stated } = await changed(showing({ sippCode: 'MBMR' }), { stated: [], sentMsAgo });
    expect([outcome, rows, stated]).toEqual(['sent', 0, []]);
  });
});

it('a reservation that another request has changed meanwhile is not judged', async () => {
  expect((await changed(showing(LATER), { isOvertaken: true })).outcome).toBe('version_mismatch');
});

describe('a change is sent', () => {
  it.each<[string, Partial<SupplierAdapter>, Parameters<typeof changed>[1]]>([
    ['if nothing is otherwise', showing({ pickupDate: '2027-02-01T10:30:00', dropoffDate: '2027-02-04T00:00:00' }), {}],
    [
      'if it was confirmed with that',
      showing({ sippCode: 'MBMR' }),
      { known: { ...view, booked_differently: { sipp_code: 'MBMR' } } },
    ],
    [
      'if it was confirmed with that, in other words',
      showing({ sippCode: 'MCAR', pickup: LAX }),
      { known: { ...view, booked_differently: { sipp_code: 'MBMR', pickup_code: 'unknown' } } },
    ],
    ['if that was never stated before', showing({ sippCode: 'MBMR', pickup: LAX, extras: [] }), { stated: [] }],
    ['if it states the extras itself', showing({ extras: [] }), { kinds: ['extras', 'contact'] }],
    ['if the supplier shows no booking by the number', showing(), {}],
    [
      'if it shows several by other numbers',
      showing({ ...LATER, confirmationNumber: 'CN2' }, { ...LATER, confirmationNumber: 'CN3' }),
      {},
    ],
    ['if it shows a cancelled one beside it', showing({ status: 'cancelled' }, {}), {}],
    ['if it refuses to show it', failing('rejected'), {}],
  ])('%s', async (_why, adapter, how) => {
    const { outcome, timeouts } = await changed(adapter, how);
    expect([outcome, timeouts.length]).toEqual(['sent', 1]);
  });

  it.each<[string, Partial<SupplierAdapter>, Parameters<typeof changed>[1]]>([
    ['if it replaces the rental there', {}, { kinds: ['rental'] }],
    ['if it does not restate the booking', { ...showing(LATER), booking: { restates: () => false } as never }, {}],
    ['at a supplier without look-up', {}, {}],
  ])('without a look-up %s', async (_why, adapter, how) => {
    const { outcome, timeouts } = await changed(adapter, how);
    expect([outcome, timeouts]).toEqual(['sent', []]);
  });
});

it('what the supplier shows before the rental is replaced is known, and a look-up that is not possible refuses nothing', async () => {
  const kinds: readonly ChangeKind[] = ['rental'];
  const shown = await changed(showing(LATER), { kinds });
  expect([shown.outcome, shown.before, shown.rows]).toEqual(['sent', { ...booking, ...LATER }, 0]);
  const failed = await changed(failing('timeout'), { kinds });
  expect([failed.outcome, failed.before, failed.timeouts.length]).toEqual(['sent', undefined, 1]);
  const late = await changed(showing(LATER), { kinds, ageMs: 1_000_000 });
  expect([late.outcome, late.before, late.timeouts]).toEqual(['sent', undefined, []]);
});

describe('a look-up', () => {
  it('that shows the booking cancelled refuses the change, but not another rental', async () => {
    const cancelled = showing({ status: 'cancelled' });
    const { outcome, rows, details } = await changed(cancelled);
    expect([outcome, rows]).toEqual(['not_changeable', 0]);
    expect(details).toMatch(/^Uno shows this booking as cancelled/);
    expect((await changed(cancelled, { kinds: ['rental'] })).outcome).toBe('sent');
  });

  it.each(['timeout', 'unavailable', 'bad_payload', 'throttled'] as const)(
    'that fails (%s) refuses the change',
    async (fault) => {
      const { outcome, rows, details } = await changed(failing(fault));
      expect([outcome, rows]).toEqual([fault, 0]);
      expect(details).toMatch(fault === 'bad_payload' ? /let Uno make the change/ : /Retry in a minute\.$/);
    },
  );

  it('with credentials that do not suffice refuses the change, and says that this stays so', async () => {
    const { outcome, details } = await changed(failing('auth'));
    expect(outcome).toBe('rejected');
    expect(details).toMatch(/further attempts won't help: let Uno make the change/);
  });

  it('leaves the change its own time, and is not begun without', async () => {
    const { budgetMs } = configSchema.parse({}).reservations;
    const { modify } = supplierConfigSchema.parse({
      id: 'uno',
      name: 'Uno',
      adapter: 'fake',
      brands: ['Uno'],
    }).timeoutMs;
    const [timeoutMs = 0] = (await changed(showing({}))).timeouts;
    expect(timeoutMs).toBeLessThanOrEqual(budgetMs - 1_500 - modify);
    expect(timeoutMs).toBeGreaterThan(budgetMs - 2_500 - modify);
    const late = await changed(showing({}), { ageMs: budgetMs - 1_600 - modify });
    expect([late.outcome, late.timeouts]).toEqual(['timeout', []]);
    const [shorter = 0] = (await changed(showing({}), { betweenMs: 2_000 })).timeouts;
    expect(shorter).toBeLessThanOrEqual(budgetMs - 3_500 - modify);
  });
});
