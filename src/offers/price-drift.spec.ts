import { createSecretKey } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { sampleRates } from '../currencies/fixtures/sample-rates.js';
import { offerAt, usd } from '../representations/fixtures/sample-offer.js';
import { LocationFactsCache } from '../representations/location-view.js';
import { SupplierMemory } from '../suppliers/memory/supplier-memory.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { PriceCheckService, type PriceRequest } from './price-check.service.js';
import type { PricedKey } from './priced-key.js';

const key = createSecretKey(Buffer.alloc(32, 9));
const NOW = Date.parse('2027-01-01T00:00:00Z');
const supplier = supplierConfigSchema.parse({
  ...{ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url: 'http://127.0.0.1:9' },
  cache: { searchVehicles: { ttlSeconds: 300 } },
});
const offer: PricedKey = {
  ...{ kind: 'offer', application: 'app_a', supplier: 'uno', brand: 'Uno', ref: { rate: '7I' }, car: 'ECAR' },
  search: ['BOS', 'BOS', '2027-02-01T10:00:00', '2027-02-04T10:00:00', 'DE', 35],
  ...{ total: usd(10_000), expiresAt: NOW / 1000 + 900, extras: [], coverages: [] },
};

it.each<[string, Partial<PricedKey>, number, PriceRequest?]>([
  ['of offers from memory shorten the lifetime', { origin: 'memory' }, 0.5],
  ['of fresh offers do not', {}, 1],
  ['of offers made under a scenario do not', { origin: 'scenario' }, 1],
  ['of quotes do not', { origin: 'memory', kind: 'quote' }, 1],
  ['that confirm the price do not', { origin: 'memory', total: usd(20_000) }, 1],
  ['for a driver of another age do not', { origin: 'memory' }, 1, { age: 21 }],
  ['with an extra that has no price do not', { origin: 'memory' }, 1, { extras: [{ code: 'SNO', quantity: 1 }] }],
  ['with a coverage that has a price do not', { origin: 'memory' }, 1, { coverages: ['PAI'] }],
])('price checks %s', async (_which, more, lifetimeShare, requested = {}) => {
  const memory = new SupplierMemory(supplier);
  const registry = new SupplierRegistry([supplier], {
    ...{ urlOf: ({ url }) => url, retireMs: 0, unusable: () => undefined },
    createAdapter: () => ({
      brandsPerCall: 'many',
      priceCheck: async () => ({ items: [offerAt(20_000)], warnings: [] }),
    }),
    rulesOf: () => ({ memory }),
  });
  const calls = new SupplierCalls(configSchema.parse({}), { settled: () => undefined, cutOff: () => undefined });
  const service = new PriceCheckService(
    registry,
    calls,
    new LocationFactsCache(key),
    sampleRates(),
    configSchema.parse({}),
    () => key,
  );
  for (const rate of ['A', 'B', 'C'])
    await service.check(
      { ...offer, ref: { rate }, ...more },
      requested,
      contextOfApplication('app_a', NOW),
      'priceCheck',
    );
  expect(memory.drift.lifetimeShareOf('acc_1')).toBe(lifetimeShare);
  await registry.close();
});
