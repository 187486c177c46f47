import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type SupplierConfig, supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { SupplierAdapter } from '../model/supplier.js';
import { type RegistryParts, SupplierRegistry } from './registry.js';

const searching: SupplierAdapter = {
  brandsPerCall: 'many',
  searchVehicles: () => Promise.resolve({ items: [], warnings: [] }),
};

function config(id: string, more: object = {}): SupplierConfig {
  return supplierConfigSchema.parse({
    id,
    name: id,
    adapter: 'fake',
    brands: [id],
    url: 'http://127.0.0.1:9',
    ...more,
  });
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

  it('returns undefined for a supplier that is not configured', () => {
    expect(registry(all).made.byId('nobody')).toBeUndefined();
  });

  it('does not create a supplier that is off earlier, and does not use it for anything else', () => {
    let built = 0;
    const { made } = registry(all, {
      createAdapter: () => {
        built += 1;
        return searching;
      },
    });
    expect([
      built,
      made.shown.map(({ id }) => id),
      made.eligible('searchVehicles', undefined, undefined).called.map(({ id }) => id),
    ]).toEqual([2, ['live', 'idle'], ['live']]);
    made.byId('gone');
    expect([built, made.shown.map(({ id }) => id)]).toEqual([3, ['live', 'idle']]);
  });

  it.each<[string, Partial<RegistryParts>, string]>([
    [
      'its url',
      { urlOf: () => undefined },
      "gone: supplier gone has no URL and its simulator isn't running; set SUPPLIER_GONE_URL",
    ],
    [
      'its credentials',
      {
        createAdapter: () => {
          throw new Error('no secret');
        },
      },
      'gone: no secret',
    ],
    [
      'its credentials, for which its simulator was not started',
      {
        urlOf: () => undefined,
        createAdapter: () => {
          throw new Error('no secret');
        },
      },
      'gone: no secret',
    ],
  ])('returns undefined for a supplier that is off and lacks %s, and reports it once', (_case, parts, message) => {
    const { made, told } = registry([config('gone', { state: 'off' })], parts);
    expect([made.byId('gone'), made.byId('gone'), told]).toEqual([undefined, undefined, [message]]);
  });
});

describe('a new configuration', () => {
  afterEach(() => {
    jest.useRealTimers();
  });
  const connectionOf = ({ made }: ReturnType<typeof registry>, id: string) => made.byId(id)?.connection;

  it('keeps the connections of unchanged suppliers and replaces those with a changed configuration or URL', () => {
    const urls: Record<string, string> = {
      same: 'http://127.0.0.1:1',
      block: 'http://127.0.0.1:2',
      moved: 'http://127.0.0.1:3',
    };
    const subject = registry([config('same'), config('block'), config('moved')], { urlOf: ({ id }) => urls[id] });
    const before = Object.keys(urls).map((id) => connectionOf(subject, id));
    urls.moved = 'http://127.0.0.1:4';
    subject.made.replace([config('same'), config('block', { name: 'Other' }), config('moved')]);
    expect(Object.keys(urls).map((id, at) => connectionOf(subject, id) === before[at])).toEqual([true, false, false]);
    expect(connectionOf(subject, 'moved')?.url).toBe('http://127.0.0.1:4');
  });

  it.each<[string, (made: SupplierRegistry, configs: readonly SupplierConfig[]) => void]>([
    ['replace', (made, configs) => made.replace(configs)],
    ['check', (made, configs) => made.check(configs)],
  ])('with errors is rejected by %s, which lists all of them and changes nothing', (_name, take) => {
    const ruled: string[] = [];
    const subject = registry([config('one'), config('two')], {
      createAdapter: ({ id, name }) => {
        if (name === 'Bad') throw new Error(`${id} is bad`);
        return searching;
      },
      rulesOf: ({ id }) => {
        ruled.push(id);
        return {};
      },
    });
    const before = connectionOf(subject, 'one');
    const faulty = [config('one', { name: 'Bad' }), config('two', { name: 'Good' }), config('more', { name: 'Bad' })];
    expect(() => take(subject.made, faulty)).toThrow('one is bad\nmore is bad');
    expect([subject.made.shown.map(({ id }) => id), connectionOf(subject, 'one') === before, ruled]).toEqual([
      ['one', 'two'],
      true,
      ['one', 'two'],
    ]);
  });

  it('is checked without URLs and without suppliers that are off', () => {
    const { made } = registry([], { urlOf: () => undefined });
    const books: SupplierAdapter = { ...searching, book: () => Promise.reject(new Error('never')) };
    expect(() => made.check([config('live')])).not.toThrow();
    const { made: strict } = registry([], { createAdapter: () => books });
    expect(() => strict.check([config('gone', { state: 'off' })])).not.toThrow();
    expect(() => strict.check([config('live')])).toThrow('implements book but not priceCheck');
  });

  it('closes replaced connections after their last call and leaves no timer behind', async () => {
    jest.useFakeTimers();
    const subject = registry([config('one')]);
    const old = connectionOf(subject, 'one');
    let closed = 0;
    if (old)
      old.close = async () => {
        closed += 1;
      };
    subject.made.replace([config('one', { name: 'Other' })]);
    await jest.advanceTimersByTimeAsync(19);
    expect(closed).toBe(0);
    await jest.advanceTimersByTimeAsync(1);
    expect([closed, jest.getTimerCount()]).toEqual([1, 0]);
  });

  it('closes replaced connections at the latest when it is closed itself', async () => {
    const subject = registry([config('one')]);
    const old = connectionOf(subject, 'one');
    let closed = 0;
    if (old)
      old.close = async () => {
        closed += 1;
      };
    subject.made.replace([]);
    await subject.made.close();
    expect(closed).toBe(1);
  });
});

describe('states set by operators', () => {
  it('override the configuration, also a new one, and are applied only once', () => {
    const { made } = registry([config('one'), config('two')]);
    const states = () => made.applyStates(new Map([['one', { state: 'drain' as const }]]));
    expect([states(), states(), made.stateOf('one'), made.stateOf('two'), made.stateOf('nobody')]).toEqual([
      true,
      false,
      'drain',
      'live',
      'off',
    ]);
    made.replace([config('one', { name: 'Other' }), config('two')]);
    expect(made.eligible('searchVehicles', undefined, undefined).called.map(({ id }) => id)).toEqual(['two']);
  });

  it('shadow: searched, but callers see neither supplier nor brand', () => {
    const { made } = registry([config('one'), config('two')]);
    made.applyStates(new Map([['two', { state: 'shadow' as const }]]));
    const { called, shadowed } = made.eligible('searchVehicles', undefined, undefined);
    expect([called, shadowed].map((list) => list.map(({ id }) => id))).toEqual([['one'], ['two']]);
    expect([made.brands, made.shown.map(({ id }) => id)]).toEqual([['one'], ['one']]);
    expect(made.suppliers.map(({ id }) => id)).toEqual(['one', 'two']);
  });
});

describe('a supplier in canary', () => {
  const one = config('one');
  const canary = (percent?: number) => {
    const { made } = registry([one, config('two')]);
    made.applyStates(new Map([['two', { state: 'canary' as const, ...(percent === undefined ? {} : { percent }) }]]));
    return made;
  };
  const roles = (made: SupplierRegistry, inShare?: (supplier: string, percent: number) => boolean) => {
    const { called, skipped, shadowed } = made.eligible('searchVehicles', undefined, undefined, inShare);
    return [called, skipped, shadowed].map((list) => list.map(({ id }) => id).join());
  };

  it('is called for its share, in supplier order, and in shadow for the rest; callers may name it', () => {
    const asked: (string | number)[] = [];
    const made = canary(30);
    const inShare = (supplier: string, percent: number): boolean => {
      asked.push(supplier, percent);
      return true;
    };
    expect([roles(made, inShare), asked]).toEqual([
      ['one,two', '', ''],
      ['two', 30],
    ]);
    expect([roles(made, () => false), roles(made)]).toEqual([
      ['one', '', 'two'],
      ['one', '', 'two'],
    ]);
    expect([made.stateOf('two'), made.shown.length, made.brands]).toEqual([
      'canary',
      2,
      expect.arrayContaining(['two']),
    ]);
  });

  it('is in maintenance while it is switched off, and has no share if none is stored', () => {
    const made = canary();
    let share: number | undefined;
    roles(made, (_supplier, percent) => {
      share = percent;
      return false;
    });
    expect(share).toBe(0);
    made.applySwitches({ suppliers: new Map([['two', undefined]]), brands: new Map() });
    expect(roles(made, () => true)).toEqual(['one', 'two', '']);
  });
});

describe('switches of operators', () => {
  const both = config('both', { brands: ['One', 'Two'] });
  const none = { suppliers: new Map<string, number | undefined>(), brands: new Map<string, number | undefined>() };
  const eligible = (made: SupplierRegistry, brands?: readonly string[]) => {
    const { called, skipped, shadowed } = made.eligible('searchVehicles', brands, undefined);
    return [called, skipped, shadowed].map((list) => list.map(({ id }) => id).join());
  };

  it('leave out a brand; a search for nothing else skips the supplier until the announced end', () => {
    const { made } = registry([both, config('other')]);
    made.applySwitches({ ...none, brands: new Map([['One', 5_000]]) });
    expect([eligible(made), eligible(made, ['One']), eligible(made, ['Two'])]).toEqual([
      ['both,other', '', ''],
      ['', 'both', ''],
      ['both', '', ''],
    ]);
    expect([made.brandsToCall(both, undefined), made.brandsToCall(both, ['One'])]).toEqual([['Two'], []]);
    const supplier = made.byId('both');
    expect(supplier && made.skippedUntil(supplier)).toBe(5_000);
    made.applySwitches(none);
    expect(supplier && made.skippedUntil(supplier)).toBeUndefined();
    // It stays a brand that callers may name.
    expect(made.brands).toContain('One');
  });

  it('put a live supplier into maintenance, and leave one as it is that is not searched', () => {
    const { made } = registry([both, config('hidden', { state: 'shadow' }), config('idle', { state: 'drain' })]);
    made.applySwitches({
      ...none,
      suppliers: new Map([
        ['both', 7_000],
        ['hidden', 7_000],
        ['idle', 7_000],
      ]),
    });
    expect(['both', 'hidden', 'idle'].map((id) => made.stateOf(id))).toEqual(['maintenance', 'shadow', 'drain']);
    expect([eligible(made), made.maintenanceEndOf('both')]).toEqual([['', 'both', 'hidden'], 7_000]);
    made.applySwitches(none);
    expect([eligible(made), made.maintenanceEndOf('both')]).toEqual([['both', '', 'hidden'], undefined]);
  });

  it('keep the end that an operator gave with the state', () => {
    const { made } = registry([both]);
    made.applySwitches({ ...none, suppliers: new Map([['both', 7_000]]) });
    made.applyStates(new Map([['both', { state: 'maintenance', untilMs: 3_000 }]]));
    expect(made.maintenanceEndOf('both')).toBe(3_000);
  });
});

describe('construction', () => {
  it('rejects a live supplier without a URL', () => {
    expect(() => registry([config('live')], { urlOf: () => undefined })).toThrow('supplier live has no URL');
  });

  it('rejects an adapter that books but cannot price, retrieve or cancel, and lists what is missing', () => {
    const books: SupplierAdapter = {
      ...searching,
      book: () => Promise.reject(new Error('never')),
      cancel: () => Promise.resolve({}),
    };
    expect(() => registry([config('live')], { createAdapter: () => books })).toThrow(
      'suppliers/live.yaml: the adapter fake implements book but not priceCheck, retrieve, booking',
    );
  });
});
