import { describe, expect, it } from '@jest/globals';
import { configSchema } from './config.schema.js';
import { ConfigError, type LoadedConfig } from './load-config.js';
import { supplierConfigSchema } from './supplier-config.schema.js';
import { workerShare } from './worker-share.js';

const supplierWith = (more: object) =>
  supplierConfigSchema.parse({ id: 'fjord', name: 'Fjord', adapter: 'rest', brands: ['Fjord'], ...more });

const loadedWith = (workers: number, supplier: object = {}): LoadedConfig => {
  const suppliers = [supplierWith(supplier)] as unknown as LoadedConfig['suppliers'];
  const config = configSchema.parse({ workers, http: { maxConcurrent: 1_000 }, records: { perSecond: 50 } });
  return { config, suppliers, secretFiles: [], readSuppliers: () => suppliers };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('the shares of all workers', () => {
  const supplier = { connections: 64, quota: { perSecond: 10, burst: 7, concurrent: 5 } };
  const shares = [1, 2, 3].map((worker) => workerShare(loadedWith(3, supplier), worker));
  const sumOf = (value: (share: LoadedConfig) => number | undefined) => sum(shares.map((share) => value(share) ?? 0));

  it('add up to the sockets and the quota of the supplier', () => {
    for (const suppliers of [
      (share: LoadedConfig) => share.suppliers,
      (share: LoadedConfig) => share.readSuppliers(),
    ]) {
      expect(sumOf((share) => suppliers(share)[0]?.connections)).toBe(64);
      expect(sumOf((share) => suppliers(share)[0]?.quota.concurrent)).toBe(5);
      expect(sumOf((share) => suppliers(share)[0]?.quota.burst)).toBe(7);
      expect(sumOf((share) => suppliers(share)[0]?.quota.perSecond)).toBeCloseTo(10);
    }
  });

  it('add up to the requests in progress, the records and the traces of callers per second', () => {
    expect(sumOf(({ config }) => config.http.maxConcurrent)).toBe(1_000);
    expect(sumOf(({ config }) => config.records.perSecond)).toBe(50);
    expect(sumOf(({ config }) => config.tracing.callersPerSecond)).toBe(10);
  });

  it('give the background work to the first worker only, and to none if it is off', () => {
    expect(shares.map(({ config }) => config.backgroundWork)).toEqual([true, false, false]);
    const loaded = loadedWith(2);
    const off = { ...loaded, config: { ...loaded.config, backgroundWork: false } };
    expect(workerShare(off, 1).config.backgroundWork).toBe(false);
  });
});

describe('a limit below the number of workers', () => {
  it.each([
    ['connections', { connections: 2 }],
    ['quota.concurrent', { quota: { concurrent: 2 } }],
  ])('%s is refused with the file, the value and what to do', (name, supplier) => {
    const share = () => workerShare(loadedWith(3, supplier), 1);
    expect(share).toThrow(ConfigError);
    expect(share).toThrow(`suppliers/fjord.yaml ${name}: 2 can't be divided among 3 workers: allow at least 3`);
  });
});
