import type { SupplierOffer } from '../model/offers.js';
import { type Bench } from './bench.js';
import { must } from './breach.js';
import { asRecorded, type ContractCase } from './case.js';
import { bookable } from './offer-choice.js';
import { judgePrice } from './price-rules.js';

/** An offer matches the question: its brand, its places, and the same offer when it is priced. */
export const OFFER_CASES: readonly ContractCase[] = [
  {
    id: 'brands',
    guarantee: 'a search for a brand returns offers of that brand and of no other',
    operations: ['searchVehicles'],
    notApplicable: ({ config }) => (config.brands.length > 1 ? undefined : 'the supplier has one brand'),
    run: async (bench) => {
      for (const brand of bench.config.brands) {
        const items = await bench.found('searchVehicles', { ...bench.subject.vehicles(), brands: [brand] });
        must(items.length > 0 || !bench.simulated, `found no car of ${brand}`);
        const other = items.find((item) => item.brand !== brand);
        must(other === undefined, `searched for ${brand}, found ${other?.brand}`);
      }
    },
  },
  {
    id: 'same_offer',
    guarantee:
      'a price check prices the offer that was found: same car, place and time; at a simulator, same total and payment type',
    operations: ['priceCheck'],
    run: async (bench) => {
      for (const offer of samples(await bench.subject.offers())) {
        const priced = await bench.subject.priced(bench.subject.rental(offer));
        judgePrice(priced);
        const [was, is] = [essence(offer, bench), essence(priced, bench)];
        const differing = Object.keys(was).find((name) => was[name] !== is[name]);
        must(
          differing === undefined,
          `${offer.vehicle.name}: the search returned ${differing} ${was[differing ?? '']}, the price check ${is[differing ?? '']}`,
        );
      }
    },
  },
  {
    id: 'one_way',
    guarantee: 'a one-way rental has the requested pickup and return locations, in offers and in the booking',
    operations: ['searchVehicles', 'book'],
    notApplicable: asRecorded,
    run: (bench, operation) => (operation === 'book' ? bookedOneWay(bench) : foundOneWay(bench)),
  },
];

async function foundOneWay(bench: Bench): Promise<void> {
  const here = await bench.subject.offers();
  for (const { brand, pickup, dropoff } of (await bench.subject.oneWay()).offers) {
    const codes = here.filter((offer) => offer.brand === brand).map((offer) => offer.pickup.code);
    must(
      codes.includes(pickup.code),
      `a one-way offer has pickup at ${pickup.code}, which is not at the requested place`,
    );
    must(!codes.includes(dropoff.code), `a one-way offer has its return at ${dropoff.code}, at the place of pickup`);
  }
}

async function bookedOneWay(bench: Bench): Promise<void> {
  const { search, offers } = await bench.subject.oneWay();
  const offer = bookable(offers, 'one way');
  const { request, key } = await bench.subject.book({ offer, search });
  if (bench.simulated) {
    const { request: there } = await bench.subject.sharedBooking();
    const [home] = await bench.booked(there.reference);
    const [row] = await bench.booked(request.reference);
    must(
      row?.pickupCode === home?.pickupCode,
      `the supplier recorded pickup at ${row?.pickupCode}; expected ${home?.pickupCode}`,
    );
    must(
      row?.dropoffCode !== home?.dropoffCode,
      `the supplier recorded the return at ${row?.dropoffCode}, the place of pickup`,
    );
  }
  await bench.found('cancel', key);
}

/**
 * The first offer of each brand and payment type, and the last of all, to catch an adapter that always prices the first
 * car.
 */
function samples(offers: readonly SupplierOffer[]): readonly SupplierOffer[] {
  const first = new Map(offers.toReversed().map((offer) => [`${offer.brand} ${offer.rate.payment}`, offer]));
  return [...new Set([...first.values(), ...offers.slice(-1)])];
}

/** The facts that must be the same in search and price check. A real supplier's total may change, and its search needn't state a guarantee. */
function essence(
  { brand, vehicle, pickup, dropoff, pickupDate, dropoffDate, rate, price }: SupplierOffer,
  { simulated }: Bench,
) {
  const { sippCode } = vehicle;
  const { amountMinor, currency } = price.total;
  const facts = {
    brand,
    sippCode,
    pickup: pickup.code,
    dropoff: dropoff.code,
    pickupDate,
    dropoffDate,
    currency,
  };
  return { ...facts, ...(simulated ? { total: amountMinor, payment: rate.payment } : {}) } as Readonly<
    Record<string, string | number | undefined>
  >;
}
