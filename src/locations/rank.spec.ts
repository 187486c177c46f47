import { describe, expect, it } from '@jest/globals';
import type { SupplierLocation } from '../model/locations.js';
import { type Candidate, type RankAim, rank, relevance } from './rank.js';

function place(
  name: string,
  more: { code?: string; city?: string; iata?: string; type?: SupplierLocation['type']; isPublic?: boolean } = {},
): SupplierLocation {
  return {
    brand: 'Brand',
    code: more.code ?? 'X1',
    codeContext: 'supplier',
    ...(more.iata ? { iataCode: more.iata } : {}),
    name,
    type: more.type ?? 'downtown',
    address: { lines: [], city: more.city ?? 'Somewhere', countryCode: 'US' },
    openingHours: [],
    specialHours: [],
    services: [],
    public: more.isPublic ?? true,
  };
}

const of = (supplierIndex: number, location: SupplierLocation, distanceKm?: number): Candidate => ({
  supplier: `s${supplierIndex}`,
  supplierIndex,
  location,
  ...(distanceKm === undefined ? {} : { distanceKm }),
});

const aim = (keyword: string | undefined): RankAim => ({ keyword, account: 'acc_a' });

describe('relevance', () => {
  it.each([
    ['bos', place('Logan International Airport', { iata: 'BOS', city: 'Boston' }), 100],
    ['or1', place('Downtown Orlando', { code: 'OR1' }), 100],
    ['boston', place('Logan International Airport', { city: 'Boston' }), 90],
    ['zurich', place('Zürich Flughafen', { city: 'Zürich' }), 90],
    ['new york', place('Midtown', { city: 'New York City' }), 80],
    ['logan', place('Boston Logan Airport', { city: 'Boston' }), 70],
    ['kens', place('London Kensington', { city: 'London' }), 60],
    ['boston us', place('Back Bay', { city: 'Boston' }), 50],
    ['bostn', place('Back Bay', { city: 'Boston' }), 40],
    ['paris', place('Back Bay', { city: 'Boston' }), 0],
  ] as const)('"%s" against a location', (wanted, location, score) => {
    expect(relevance(location, wanted)).toBe(score);
  });
});

describe('rank', () => {
  it('returns at most the limit, exact codes first, airports before downtown', async () => {
    const best = await rank(
      [
        of(0, place('Orlando Downtown', { city: 'Orlando' })),
        of(0, place('Orlando Airport', { city: 'Orlando', iata: 'MCO', code: 'MCO', type: 'airport' })),
        of(1, place('Lake Nona', { code: 'ORLANDO' })),
        of(1, place('Orlando Mall', { city: 'Orlando' })),
      ],
      aim('Orlando'),
      3,
    );
    expect(best.map((row) => row.location.name)).toEqual(['Lake Nona', 'Orlando Airport', 'Orlando Downtown']);
  });

  it('alternates equal locations between suppliers', async () => {
    const airport = (name: string) => place(name, { city: 'Boston', iata: 'BOS', type: 'airport' });
    const best = await rank(
      [of(0, airport('A1')), of(0, airport('A2')), of(0, airport('A3')), of(1, airport('B1')), of(2, airport('C1'))],
      aim('bos'),
      3,
    );
    expect(best.map((row) => row.location.name)).toEqual(['A1', 'B1', 'C1']);
  });

  it('leaves out locations closed to the public and, if any match, those that do not', async () => {
    const best = await rank(
      [
        of(0, place('Secret', { city: 'Boston', isPublic: false })),
        of(0, place('Far', { city: 'Denver' })),
        of(1, place('Back Bay', { city: 'Boston' })),
      ],
      aim('boston'),
      3,
    );
    expect(best.map((row) => row.location.name)).toEqual(['Back Bay']);
  });

  it('orders by distance around a point', async () => {
    expect(
      (await rank([of(0, place('Far'), 9), of(1, place('Near'), 2)], aim(undefined), 3)).map(
        (row) => row.location.name,
      ),
    ).toEqual(['Near', 'Far']);
  });
});

describe('a thousand hostile names', () => {
  // U+FDFA becomes eighteen characters when it is decomposed.
  it.each([
    ['that expand', '\uFDFA'.repeat(300)],
    ['of words that are almost the keyword', 'bostxnly '.repeat(33)],
    ['that are alike', 'Boston'],
  ])(
    '%s do not hold up other work for more than 50 ms',
    async (_case, name) => {
      const candidates = Array.from({ length: 1_000 }, (_, index) =>
        of(index % 2, place(name, { code: `B${index}`, city: name })),
      );
      const ranked = (): Promise<unknown> => rank(candidates, aim('bostonly airport bostonly'), 3);
      const delays = [await longestTurn(ranked), await longestTurn(ranked)];
      expect(Math.min(...delays)).toBeLessThan(50);
    },
    30_000,
  );

  it('that are alike are ranked as they came', async () => {
    const alike = Array.from({ length: 1_000 }, (_, index) =>
      of(index % 2, place('Boston', { code: `B${index}`, city: 'Boston' })),
    );
    expect((await rank(alike, aim('boston'), 3)).map(({ location }) => location.code)).toEqual(['B0', 'B1', 'B2']);
  });
});

/** The longest processor time for which `work` let nothing else run, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  let last = process.threadCpuUsage();
  const tick = (): void => {
    const { user, system } = process.threadCpuUsage(last);
    longest = Math.max(longest, (user + system) / 1_000);
    last = process.threadCpuUsage();
    if (!isDone) setImmediate(tick);
  };
  tick();
  await work();
  isDone = true;
  tick();
  return longest;
}
