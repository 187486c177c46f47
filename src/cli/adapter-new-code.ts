import { creatorOf, folderOf } from './adapter-names.js';

/**
 * The files of a new adapter, by name. The adapter searches an invented JSON dialect. It is small enough to replace
 * line by line and follows the contract's rules for failures from the start.
 */
export function codeFiles(id: string): ReadonlyMap<string, string> {
  return new Map([
    ['adapter.ts', adapterFile(id)],
    ['wire.ts', WIRE],
    ['offer-mapping.ts', MAPPING],
    ['adapter.spec.ts', specFile(id)],
    ['fixtures/vehicles.200.json', FIXTURE],
  ]);
}

function adapterFile(id: string): string {
  return `import { z } from 'zod';
import { type CreateAdapter, SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { oneWarning, Warnings } from '../../model/warnings.js';
import { mapOffer } from './offer-mapping.js';
import { carsWire, carWire } from './wire.js';

const credentialsSchema = z.object({ apiKey: z.string().min(1) });

/**
 * The dialect of ${folderOf(id)}. \`credentials\`: apiKey; \`options\`: none. Throws a ZodError if they are invalid.
 */
export const ${creatorOf(id)}: CreateAdapter = ({ brands, credentials, options }) => {
  const { apiKey } = credentialsSchema.parse(credentials);
  z.strictObject({}).parse(options);
  const [brand = ''] = brands;
  return {
    brandsPerCall: 'many',
    searchVehicles: async (request, { http, requestId }) => {
      const from = request.pickup.supplierCode ?? request.pickup.iataCode;
      const to = request.dropoff.supplierCode ?? request.dropoff.iataCode;
      if (from === undefined || to === undefined)
        return { items: [], warnings: oneWarning('not_sent', 'no code that the supplier knows') };
      const query = new URLSearchParams({ from, to, pickup: request.pickupDate, return: request.dropoffDate });
      const headers = { accept: 'application/json', 'x-api-key': apiKey, 'x-request-id': requestId };
      const { cars } = read(await http.send({ method: 'GET', path: \`/cars?\${query}\`, headers }, true));
      const rows = cars.map((row) => carWire.safeParse(row));
      const items = rows.flatMap(({ data }) => (data ? [mapOffer(data, brand, request)] : []));
      // Skip an unreadable row with a warning. If every row is unreadable, fail: the answer isn't empty.
      const warnings = new Warnings();
      for (const [index, { error }] of rows.entries())
        if (error) warnings.add('row_dropped', \`cars[\${index}]: \${error.issues[0]?.path.join('.')}\`);
      const [first] = warnings.list;
      if (items.length === 0 && first) throw new SupplierError('bad_payload', first.text);
      return { items, warnings: warnings.list };
    },
  };
};

/** The body of a successful answer. Everything else is a fault: a failure must never look like an empty answer. */
function read({ status, body }: SupplierHttpAnswer): z.infer<typeof carsWire> {
  if (status === 401 || status === 403) throw new SupplierError('auth', \`HTTP \${status}\`);
  if (status === 429) throw new SupplierError('throttled', 'HTTP 429');
  if (status >= 500) throw new SupplierError('unavailable', \`HTTP \${status}\`);
  if (status !== 200) throw new SupplierError('bad_payload', \`HTTP \${status}\`);
  const cars = carsWire.safeParse(parsed(body));
  if (cars.success) return cars.data;
  throw new SupplierError('bad_payload', \`\${cars.error.issues[0]?.path.join('.') || 'the body'} is unreadable\`);
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
`;
}

const WIRE = `import { z } from 'zod';
import { isCurrency, parseMoney, UnreadableAmountError } from '../../model/money.js';

/** The answer as the supplier sends it. Rows are parsed one by one, so a bad row doesn't affect the others. */
export const carsWire = z.object({ cars: z.array(z.unknown()) });

const station = z.object({ code: z.string().min(1), name: z.string().min(1), country: z.string().regex(/^[A-Z]{2}$/) });

/** One car with its total as money. A car without a valid price is invalid. Unused members are left out. */
export const carWire = z
  .object({
    id: z.string().min(1),
    sipp: z.string().optional(),
    title: z.string().min(1),
    total: z.union([z.string(), z.number()]),
    currency: z.string(),
    pickup: station,
    dropoff: station,
  })
  .transform((car, context) => {
    try {
      const total = isCurrency(car.currency) ? parseMoney(car.total, car.currency) : undefined;
      if (total && total.amountMinor > 0) return { ...car, total };
    } catch (error) {
      if (!(error instanceof UnreadableAmountError)) throw error;
    }
    context.addIssue({ code: 'custom', path: ['total'], message: 'is not a price' });
    return z.NEVER;
  });

export type CarWire = z.infer<typeof carWire>;
`;

const MAPPING = `import type { SupplierLocation } from '../../model/locations.js';
import type { SupplierOffer, VehicleSearch } from '../../model/offers.js';
import type { CarWire } from './wire.js';

const DAY_MS = 86_400_000;

/** Maps one car to the gateway's model. The total is copied, never calculated. */
export function mapOffer(car: CarWire, brand: string, { pickupDate, dropoffDate }: VehicleSearch): SupplierOffer {
  const { total } = car;
  return {
    brand,
    status: 'available',
    supplierRef: { carId: car.id },
    vehicle: {
      name: car.title,
      orSimilar: true,
      ...(car.sipp && /^[A-Z]{4}$/.test(car.sipp) ? { sippCode: car.sipp } : {}),
    },
    pickup: mapStation(car.pickup, brand),
    dropoff: mapStation(car.dropoff, brand),
    pickupDate,
    dropoffDate,
    rate: { payment: 'pay_later', inclusive: false, discountsApplied: [] },
    price: { total, dueNow: { ...total, amountMinor: 0 }, dueAtCounter: total, items: [] },
    rentalDays: Math.max(1, Math.ceil((Date.parse(\`\${dropoffDate}Z\`) - Date.parse(\`\${pickupDate}Z\`)) / DAY_MS)),
    distancePolicy: [],
    fuelPolicy: 'unknown',
    coverages: [],
    extras: [],
    cancellation: { rules: [], source: 'unknown' },
    requirements: {},
    terms: [],
  };
}

function mapStation({ code, name, country }: CarWire['pickup'], brand: string): SupplierLocation {
  return {
    brand,
    code,
    codeContext: 'supplier',
    name,
    type: 'other',
    address: { lines: [], countryCode: country },
    openingHours: [],
    specialHours: [],
    services: [],
    public: true,
  };
}
`;

function specFile(id: string): string {
  return `import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { SupplierContext } from '../../model/supplier.js';
import { ${creatorOf(id)} } from './adapter.js';

const adapter = ${creatorOf(id)}({
  id: '${id}',
  name: 'A',
  brands: ['A'],
  credentials: { apiKey: 'key' },
  options: {},
});
const recorded = readFileSync(new URL('./fixtures/vehicles.200.json', import.meta.url));

function answering(status: number, body: Buffer | string): SupplierContext {
  const answer = { status, headers: {}, body: Buffer.from(body) };
  return { http: { send: () => Promise.resolve(answer) }, requestId: 'req_1', environment: 'sandbox', now: 0 };
}

const search = {
  pickup: { iataCode: 'BOS', countryCode: 'US' },
  dropoff: { iataCode: 'BOS', countryCode: 'US' },
  pickupDate: '2031-05-06T10:00:00',
  dropoffDate: '2031-05-09T10:00:00',
  countryCode: 'US',
  age: 35,
  brands: ['A'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};

describe('the search', () => {
  it('maps a recorded answer with exact amounts', async () => {
    const found = await adapter.searchVehicles?.(search, answering(200, recorded));
    expect(found?.items).toMatchObject([
      {
        vehicle: { sippCode: 'ECAR' },
        pickup: { code: 'BOS1' },
        dropoff: { code: 'BOS2' },
        rentalDays: 3,
        price: { total: { amountMinor: 12345, currency: 'USD' } },
      },
    ]);
    expect(found?.warnings).toEqual([{ kind: 'row_dropped', text: 'cars[1]: total', times: 1 }]);
  });

  it('returns an empty list for an answer without cars', async () => {
    expect(await adapter.searchVehicles?.(search, answering(200, '{"cars":[]}'))).toEqual({ items: [], warnings: [] });
  });

  it.each([
    [503, '', 'unavailable'],
    [429, '', 'throttled'],
    [401, '', 'auth'],
    [200, '<html></html>', 'bad_payload'],
  ])('HTTP %i with body "%s" is the fault %s, not an empty list', async (status, body, fault) => {
    await expect(adapter.searchVehicles?.(search, answering(status, body))).rejects.toMatchObject({ fault });
  });
});
`;
}

const FIXTURE = `{
  "cars": [
    {
      "id": "C1",
      "sipp": "ECAR",
      "title": "Ford Fiesta",
      "total": "123.45",
      "currency": "USD",
      "pickup": { "code": "BOS1", "name": "Boston Logan", "country": "US" },
      "dropoff": { "code": "BOS2", "name": "Boston South Station", "country": "US" }
    },
    {
      "id": "C2",
      "title": "No price",
      "total": "on request",
      "currency": "USD",
      "pickup": { "code": "BOS1", "name": "Boston Logan", "country": "US" },
      "dropoff": { "code": "BOS2", "name": "Boston South Station", "country": "US" }
    }
  ]
}
`;
