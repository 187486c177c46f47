import { createSecretKey } from 'node:crypto';
import { applyFilters } from '../../src/catalog/filter-and-sort.js';
import type { NormalizedSearch } from '../../src/catalog/normalize-search.js';
import { OfferWriter } from '../../src/catalog/offer-writer.js';
import type { SupplierConfig } from '../../src/config/supplier-config.schema.js';
import type { SupplierOffer } from '../../src/model/offers.js';
import { sampleOffer } from '../../src/representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../../src/representations/location-view.js';
import { OfferViews, type SearchedOffer, writtenBytes } from '../../src/representations/offer-view.js';
import { withList } from '../../src/representations/partial-answer.js';
import { SupplierMemory } from '../../src/suppliers/memory/supplier-memory.js';
import type { CallOutcome } from '../../src/suppliers/outcome.js';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const FACTS = new LocationFactsCache(KEY);
const SEARCH = { sortBy: 'price_total', maxResults: 200, sippCodes: [] } as unknown as NormalizedSearch;
const CALLER = { applicationId: 'app_1', accountId: 'acc_1' };
/** Like the key of a real search. */
const QUESTION = JSON.stringify({
  pickup: 'BOS',
  dropoff: 'BOS',
  from: '2027-02-01T10:00:00',
  filler: 'x'.repeat(600),
});
const RUNS = 2_000;

/** An offer of about 5.5 KB, as those of the simulated suppliers. */
function offer(at: number): SupplierOffer {
  const total = { amountMinor: 10_000 + ((at * 7_919) % 30_000), currency: 'USD' };
  const terms = Array.from({ length: 4 }, () => ({
    kind: 'general',
    text: 'What applies to this rental. '.repeat(28),
  }));
  return { ...sampleOffer, price: { ...sampleOffer.price, total, dueAtCounter: total }, terms };
}

/**
 * The processor time of this process, in microseconds, for a search of one supplier whose 30 offers are in memory: finding them, filters,
 * order, new ids, and the bytes of the list. The median of five rounds after one of warm-up.
 */
export async function hitMicroseconds(): Promise<number> {
  const cache = { searchVehicles: { ttlSeconds: 3_600, maxBytes: 10_000_000 } };
  const memory = new SupplierMemory({ id: 'proof', cache } as SupplierConfig);
  const first = views(Date.now());
  const measure = {
    bytesOf: (one: SearchedOffer) => ('json' in one ? writtenBytes(one) : 0),
    expiryOf: () => undefined,
  };
  const call = () => memory.forCall<SearchedOffer>('searchVehicles', CALLER, QUESTION, false, measure);
  call()?.begin()(
    Array.from({ length: 30 }, (_, at) => first.write('uno', offer(at))),
    [],
  );
  const hit = async (): Promise<number> => {
    const found = call()?.find();
    if (!found) throw new Error('the answer is not in memory');
    const supplier = { id: 'uno', name: 'Uno' };
    const outcome: CallOutcome<SearchedOffer> = {
      ...{ kind: 'answered', supplier, items: found.items },
      ...{ durationMs: 0, shared: false },
    };
    const kept = applyFilters(outcome, SEARCH);
    const items = kept.kind === 'answered' ? kept.items : [];
    const own = views(Date.now() + 1);
    const writer = new OfferWriter(SEARCH, (id, one) => own.bytesOf(id, one), 8_000_000, 'acc_a');
    const written = await writer.write([
      { supplier, kind: 'answered', items, failedBrands: [], durationMs: 0, shared: false },
    ]);
    return withList('{"status":{}}', { name: 'vehicles', items: written.items }).length;
  };
  const rounds: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    const before = process.cpuUsage();
    for (let at = 0; at < RUNS; at += 1) await hit();
    const { user, system } = process.cpuUsage(before);
    if (round > 0) rounds.push((user + system) / RUNS);
  }
  return rounds.sort((one, other) => one - other)[2] ?? Number.NaN;
}

function views(now: number): OfferViews {
  return new OfferViews(
    ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'US', 30],
    'app_1',
    FACTS,
    KEY,
    now,
    1_800,
  );
}
