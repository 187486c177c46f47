import type { z } from 'zod';
import type { SupplierLocation } from '../model/locations.js';
import type { SupplierOffer } from '../model/offers.js';
import type { Operation } from '../model/supplier.js';
import { type Bench } from './bench.js';
import { describeError, must } from './breach.js';
import { type ContractCase, OPERATIONS, SEARCHES } from './case.js';
import { failureOf, itemsOf } from './ended.js';
import { pass } from './fault-server.js';
import { locationDetailsShape } from './location-details-shape.js';
import { judgePrice } from './price-rules.js';
import { bookingShape, cancelShape, locationShape, offerShape } from './shape.js';

/** A keyword that no location has, for test systems. */
const NOWHERE = 'Qzxwvqzx';

/** The shape of successful answers, full and empty. */
export const SHAPE_CASES: readonly ContractCase[] = [
  {
    id: 'shape',
    guarantee:
      'a result fits the model: integer minor units, ISO codes, local times, no empty ids, only brands of the supplier',
    operations: OPERATIONS,
    run: (bench, operation) => SHAPES[operation](bench),
  },
  {
    id: 'empty',
    guarantee: 'a search without results is an empty list, not a failure',
    operations: [...SEARCHES, 'priceCheck'],
    simulated: ['searchVehicles', 'priceCheck'],
    run: async (bench, operation) => {
      const found = await bench.subject.question(operation);
      const question = bench.simulated ? found : { ...found, keyword: NOWHERE };
      const items = itemsOf(
        await bench.played(operation, pass, question, bench.simulated ? { directive: 'empty' } : {}),
        'a search without results',
      );
      must(items.length === 0, `found ${items.length} items; the supplier returned none`);
    },
  },
  {
    id: 'sold_out',
    guarantee:
      'sold out is an empty search result, not a failure; a price check returns nothing or refuses with sold_out',
    operations: ['searchVehicles', 'priceCheck'],
    simulated: true,
    run: async (bench, operation) => {
      const ended = await bench.played(operation, pass, await bench.subject.question(operation), {
        directive: 'sold_out',
      });
      if (ended.items || operation === 'searchVehicles') {
        must(itemsOf(ended, 'sold out').length === 0, 'found items although everything was sold out');
        return;
      }
      const error = failureOf(ended);
      must(
        error.fault === 'rejected' && error.refusal === 'sold_out',
        `got ${describeError(error)}; expected rejected sold_out`,
      );
    },
  },
  ...(
    [
      ['own_throttled', 'throttled', "the supplier's own error for an exceeded limit is throttled"],
      ['own_auth', 'auth', "the supplier's own error for an invalid key is auth"],
    ] as const
  ).map(
    ([id, directive, guarantee]): ContractCase => ({
      id,
      guarantee,
      operations: OPERATIONS,
      simulated: true,
      run: async (bench, operation) => {
        const question = await bench.subject.question(operation);
        const error = failureOf(await bench.played(operation, pass, question, { directive }));
        must(error.fault === directive, `got ${describeError(error)}; expected ${directive}`);
      },
    }),
  ),
];

const SHAPES: { readonly [O in Operation]: (bench: Bench) => Promise<void> } = {
  searchLocations: async (bench) => {
    const items = await bench.found('searchLocations', bench.subject.locations());
    must(items.length > 0, "found no location; name a better airport in `contract.place` of the supplier's file");
    fits(items, locationShape);
    for (const item of items) ownBrand(bench, item);
  },
  searchVehicles: async (bench) => {
    const question = bench.subject.vehicles();
    const items = await bench.found('searchVehicles', question);
    must(items.length > 0, "found no car; name a better airport in `contract.place` of the supplier's file");
    fits(items, offerShape);
    for (const item of items) {
      ownBrand(bench, item);
      judgePrice(item);
      must(
        item.pickupDate === question.pickupDate && item.dropoffDate === question.dropoffDate,
        'an offer has other dates than requested',
      );
      must(item.expiresAt === undefined || Date.parse(item.expiresAt) > Date.now(), 'an offer has already expired');
    }
  },
  priceCheck: async (bench) => {
    const items = await bench.found('priceCheck', await bench.subject.question('priceCheck'));
    must(items.length === 1, `the price check of one offer returned ${items.length} items`);
    fits(items, offerShape);
    for (const item of items) judgePrice(item);
  },
  book: async (bench) => {
    const { booking, key } = await bench.subject.book();
    fits([booking], bookingShape);
    await bench.found('cancel', key);
  },
  retrieve: async (bench) => {
    const { key } = await bench.subject.sharedBooking();
    const items = await bench.found('retrieve', key);
    must(items.length === 1, `reading one booking returned ${items.length} items`);
    fits(items, bookingShape);
  },
  modify: async (bench) => {
    fits(await bench.found('modify', await bench.subject.question('modify')), bookingShape);
  },
  cancel: async (bench) => {
    const { key } = await bench.subject.book();
    fits(await bench.found('cancel', key), cancelShape);
  },
  locationDetails: async (bench) => {
    const question = await bench.subject.location();
    const items = await bench.found('locationDetails', question);
    must(items.length === 1, `the details of one location returned ${items.length} items`);
    fits(items, locationDetailsShape);
    for (const { location } of items) {
      ownBrand(bench, location);
      const asked = question.location.supplierCode;
      must(location.code === asked, `asked for the details of ${asked}, got those of ${location.code}`);
    }
  },
};

function fits(items: readonly unknown[], shape: z.ZodType): void {
  for (const [index, item] of items.entries()) {
    const issue = shape.safeParse(defined(item)).error?.issues[0];
    must(issue === undefined, `item ${index}: ${issue?.path.join('.') || 'the complete item'} ${issue?.message ?? ''}`);
  }
}

/** Removes fields whose value is undefined. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, defined(inner)]])),
  );
}

function ownBrand({ config }: Bench, { brand }: SupplierOffer | SupplierLocation): void {
  must(config.brands.includes(brand), `"${brand.slice(0, 40)}" is not a brand of this supplier`);
}
