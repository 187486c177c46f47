import type { SupplierOffer } from '../model/offers.js';
import { type Bench } from './bench.js';
import { must } from './breach.js';
import { asRecorded, type ContractCase } from './case.js';
import { bookable } from './offer-choice.js';
import { judgePrice } from './price-rules.js';

/** An offer is what the supplier has: of the brand asked for, there and back, and still the same when it is priced. */
export const OFFER_CASES: readonly ContractCase[] = [
  {
    id: 'brands',
    guarantee: 'each brand is found under its own name, and no other beside it',
    operations: ['searchVehicles'],
    unfit: ({ config }) => (config.brands.length > 1 ? undefined : 'the supplier has one brand'),
    run: async (bench) => {
      for (const brand of bench.config.brands) {
        const items = await bench.found('searchVehicles', { ...bench.subject.vehicles(), brands: [brand] });
        must(items.length > 0 || !bench.simulated, `no car of ${brand} was found`);
        const other = items.find((item) => item.brand !== brand);
        must(other === undefined, `asked for ${brand}, found ${other?.brand}`);
      }
    },
  },
  {
    id: 'same_offer',
    guarantee:
      'what was found is what is priced: the same car, place, time and way to pay, at a simulator the same total',
    operations: ['priceCheck'],
    run: async (bench) => {
      for (const offer of samples(await bench.subject.offers())) {
        const priced = await bench.subject.priced(bench.subject.rental(offer));
        judgePrice(priced);
        const [was, is] = [essence(offer, bench), essence(priced, bench)];
        const differing = Object.keys(was).find((name) => was[name] !== is[name]);
        must(
          differing === undefined,
          `${offer.vehicle.name}: ${differing} was ${was[differing ?? '']}, is priced as ${is[differing ?? '']}`,
        );
      }
    },
  },
  {
    id: 'one_way',
    guarantee:
      'a car that is returned elsewhere is picked up where it was asked for and returned there, in offers and in the book',
    operations: ['searchVehicles', 'book'],
    unfit: asRecorded,
    run: (bench, operation) => (operation === 'book' ? bookedOneWay(bench) : foundOneWay(bench)),
  },
];

async function foundOneWay(bench: Bench): Promise<void> {
  const here = await bench.subject.offers();
  for (const { brand, pickup, dropoff } of (await bench.subject.oneWay()).offers) {
    const codes = here.filter((offer) => offer.brand === brand).map((offer) => offer.pickup.code);
    must(
      codes.includes(pickup.code),
      `a car returned elsewhere is picked up at ${pickup.code}, not where it was asked for`,
    );
    must(
      !codes.includes(dropoff.code),
      `a car returned elsewhere is returned at ${dropoff.code}, where it was picked up`,
    );
  }
}

async function bookedOneWay(bench: Bench): Promise<void> {
  const { search, offers } = await bench.subject.oneWay();
  const offer = bookable(offers, 'one way');
  const { request, key } = await bench.subject.book({ offer, search });
  if (bench.simulated) {
    const { request: there } = await bench.subject.standing();
    const [home] = await bench.booked(there.reference);
    const [row] = await bench.booked(request.reference);
    must(
      row?.pickupCode === home?.pickupCode,
      `the supplier's book says pickup at ${row?.pickupCode}, not at ${home?.pickupCode}`,
    );
    must(
      row?.dropoffCode !== home?.dropoffCode,
      `the supplier's book says return at ${row?.dropoffCode}, where it was picked up`,
    );
  }
  await bench.found('cancel', key);
}

/** The first of each brand and way to pay, and the last of all: an adapter that always prices the first car is right for that one only. */
function samples(offers: readonly SupplierOffer[]): readonly SupplierOffer[] {
  const first = new Map(offers.toReversed().map((offer) => [`${offer.brand} ${offer.rate.payment}`, offer]));
  return [...new Set([...first.values(), ...offers.slice(-1)])];
}

/** What must not change between search and price check. A real supplier's total may. */
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
    payment: rate.payment,
    currency,
  };
  return { ...facts, ...(simulated ? { total: amountMinor } : {}) } as Readonly<
    Record<string, string | number | undefined>
  >;
}
