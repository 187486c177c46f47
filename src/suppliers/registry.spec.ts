import { describe, expect, it } from '@jest/globals';
import { type SupplierConfig, supplierConfigSchema } from '../config/supplier-config.schema.js';
import { type RegistryParts, SupplierRegistry } from './registry.js';
import type { SupplierAdapter } from './supplier.js';

const searching: SupplierAdapter = { brandsPerCall: 'many', searchVehicles: () => Promise.resolve({ items: [], warnings: [] }) };

function config(id: string, more: object = {}): SupplierConfig {
  return supplierConfigSchema.parse({ id, name: id, adapter: 'fake', brands: [id], url: 'http://127.0.0.1:9', ...more });
}

function registry(configs: readonly SupplierConfig[], parts: Partial<RegistryParts> = {}) {
  const told: string[] = [];
  const made = new SupplierRegistry(configs, {
    urlOf: ({ url }) => url,
    unusable: (id, error) => told.push(`${id}: ${error.message}`),
    createAdapter: () => searching,
    retireMs: 20,
    ...parts,
  });
  return { made, told };
}

describe('byId', () => {
  const all = [config('live'), config('idle', { state: 'maintenance' }), config('gone', { state: 'off' })];

  it.each(['live', 'idle', 'gone'])('finds a supplier in any state: %s', (id) => {
    const { made } = registry(all);
    expect(made.byId(id)).toMatchObject({ id });
    expect(made.byId(id)).toBe(made.byId(id));
  });

  it('knows nothing of a supplier that is not configured', () => {
    expect(registry(all).made.byId('nobody')).toBeUndefined();
  });

  it('an off supplier is asked for nothing else and not built before', () => {
    let built = 0;
    const { made } = registry(all, {
      createAdapter: () => {
        built += 1;
        return searching;
      },
    });
    expect([built, made.ids, made.eligible('searchVehicles', undefined, undefined).asked.map(({ id }) => id)]).toEqual([
      2,
      ['live', 'idle'],
      ['live'],
    ]);
    made.byId('gone');
    expect([built, made.ids]).toEqual([3, ['live', 'idle']]);
  });

  it.each<[string, Partial<RegistryParts>, string]>([
    ['its url', { urlOf: () => undefined }, 'gone: supplier gone has no url and its simulator is not started; set SUPPLIER_GONE_URL'],
    [
      'its credentials',
      {
        createAdapter: () => {
          throw new Error('no secret');
        },
      },
      'gone: no secret',
    ],
  ])('undefined for an off supplier that lacks %s, told once', (_case, parts, message) => {
    const { made, told } = registry([config('gone', { state: 'off' })], parts);
    expect([made.byId('gone'), made.byId('gone'), told]).toEqual([undefined, undefined, [message]]);
  });
});

describe('construction', () => {
  it('refuses a live supplier without a url', () => {
    expect(() => registry([config('live')], { urlOf: () => undefined })).toThrow('supplier live has no url');
  });

  it('refuses an adapter that books but cannot price, look up or undo, naming what it lacks', () => {
    const books: SupplierAdapter = { ...searching, book: () => Promise.reject(new Error('never')), cancel: () => Promise.resolve({}) };
    expect(() => registry([config('live')], { createAdapter: () => books })).toThrow(
      'suppliers/live.yaml: the adapter fake has book but lacks priceCheck, retrieve, booking',
    );
  });
});
