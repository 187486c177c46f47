import { describe, expect, it } from '@jest/globals';
import { chooseVersion, type VersionCaller } from './choose-version.js';
import type { ProductState } from './lifecycle.js';
import { productFacts, type VersionRows } from './product-facts.js';
import { exactVersion, parseVersion } from './version.js';

const DEPRECATED_AT = 1_000;

/**
 * A product with versions in the given states. `app_beta` is selected for every Beta; `app_late` subscribed a second
 * after the deprecation.
 */
function productOf(states: Readonly<Record<string, ProductState>>) {
  const versions = Object.entries(states).flatMap(([text, state]) => {
    const wish = parseVersion(text);
    return wish ? [{ ...exactVersion(wish), state }] : [];
  });
  const rows: VersionRows = {
    versions: versions.map((version) => ({
      ...version,
      productId: 'p',
      deprecatedAt: version.state === 'deprecated' ? DEPRECATED_AT : null,
      sunsetAt: null,
    })),
    beta: versions.map(({ major, minor }) => ({ productId: 'p', major, minor, applicationId: 'app_beta' })),
    late: [{ productId: 'p', applicationId: 'app_late', subscribedAt: DEPRECATED_AT + 1 }],
  };
  const [product] = productFacts([{ id: 'p', name: 'P', path: '/p', versions }], rows);
  if (!product) throw new Error('no product');
  return product;
}

const subscribed: VersionCaller = { applicationId: 'app_one', environment: 'sandbox', products: ['p'] };
const stranger: VersionCaller = { ...subscribed, products: [] };
const tester: VersionCaller = { ...subscribed, applicationId: 'app_beta' };
const testerInProduction: VersionCaller = { ...tester, environment: 'production' };
const late: VersionCaller = { ...subscribed, applicationId: 'app_late' };

function choose(states: Readonly<Record<string, ProductState>>, wanted: string, caller: VersionCaller): string {
  const wish = parseVersion(wanted);
  if (!wish) throw new Error(wanted);
  const choice = chooseVersion(productOf(states), wish, caller);
  return 'refused' in choice ? choice.refused : choice.version.label;
}

describe('the audience of each state (spec §3.1, rulings 14 and 21)', () => {
  it.each<[ProductState, string, string, string, string, string]>([
    //            subscribed  stranger          tester    in production  late
    ['designed', 'hidden', 'hidden', 'hidden', 'hidden', 'hidden'],
    ['beta', 'hidden', 'hidden', 'v1', 'hidden', 'hidden'],
    ['live', 'v1', 'not_subscribed', 'v1', 'v1', 'v1'],
    ['deprecated', 'v1', 'not_subscribed', 'v1', 'v1', 'subscribed_too_late'],
    ['retired', 'hidden', 'hidden', 'hidden', 'hidden', 'hidden'],
  ])('%s', (state, ...expected) => {
    const callers = [subscribed, stranger, tester, testerInProduction, late];
    expect(callers.map((caller) => choose({ v1: state }, 'v1', caller))).toEqual(expected);
  });

  it('an application selected for a Beta needs no subscription', () => {
    expect(choose({ v1: 'beta' }, 'v1', { ...tester, products: [] })).toBe('v1');
  });
});

describe('the sunset of a deprecated version', () => {
  const product = productOf({ 'v1.0.1': 'deprecated', 'v1.1': 'live' });
  const ends = { ...product, versions: product.versions.map((version) => ({ ...version, sunsetAt: 2_000 })) };
  const at = (clockNow: number | undefined, wanted: string): string => {
    const choice = chooseVersion(ends, parseVersion(wanted) ?? { major: 9 }, subscribed, clockNow);
    return 'refused' in choice ? choice.refused : choice.version.label;
  };

  it.each([
    [undefined, 'v1.0.1', 'v1.1'],
    [1_999, 'v1.0.1', 'v1.1'],
    [2_000, 'hidden', 'v1.1'],
  ])('at %p by the test clock (undefined: real time), v1.0.1 is %s and v1 is %s', (clockNow, pinned, newest) => {
    expect([at(clockNow, 'v1.0.1'), at(clockNow, 'v1')]).toEqual([pinned, newest]);
  });
});

describe('the version that answers (ruling 20)', () => {
  const states = {
    v1: 'deprecated',
    'v1.0.1': 'live',
    'v1.9': 'live',
    'v1.10': 'live',
    'v1.10.1': 'live',
    'v1.11': 'beta',
    v2: 'live',
  } as const;

  it.each([
    ['v1', 'v1.10.1'],
    ['v1.10', 'v1.10.1'],
    ['v1.9', 'v1.9'],
    ['v1.0.1', 'v1.0.1'],
    ['v2', 'v2'],
    ['v1.11', 'hidden'],
    ['v1.12', 'hidden'],
    ['v3', 'hidden'],
  ])('%s: %s for a subscriber', (wanted, version) => {
    expect(choose(states, wanted, subscribed)).toBe(version);
  });

  it('counts the Beta as the newest minor for a selected application', () => {
    expect(choose(states, 'v1', tester)).toBe('v1.11');
  });

  it('serves a late subscriber the newest version that it may call', () => {
    expect(choose({ 'v1.1': 'live', 'v1.2': 'deprecated' }, 'v1', late)).toBe('v1.1');
  });

  it('does not turn a 403 into a 404 because of a hidden Beta', () => {
    expect(choose({ 'v1.1': 'beta', v1: 'live' }, 'v1', stranger)).toBe('not_subscribed');
  });
});

describe('the file and the database', () => {
  it('ignores versions in the database that this build does not serve', () => {
    const rows: VersionRows = {
      versions: [
        { productId: 'p', major: 1, minor: 0, patch: 0, state: 'live', deprecatedAt: null, sunsetAt: null },
        { productId: 'p', major: 2, minor: 0, patch: 0, state: 'live', deprecatedAt: null, sunsetAt: null },
      ],
      beta: [],
      late: [],
    };
    const [product] = productFacts(
      [{ id: 'p', name: 'P', path: '/p', versions: [{ major: 1, minor: 0, patch: 0, state: 'live' }] }],
      rows,
    );
    expect(product).toMatchObject({ newestLiveMajor: 1, openMajors: new Set([1]) });
  });
});
