import { describe, expect, it } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import { type ProductFacts, productFacts } from '../../products/product-facts.js';
import { isOpenTo, visibleProducts } from './visible-products.js';

type State = 'designed' | 'beta' | 'live' | 'deprecated' | 'retired';

/** A product with one version per state, v1.0 upward; `app_tester` is selected for its Betas. */
function product(id: string, ...states: State[]): ProductFacts {
  const versions = states.map((state, minor) => ({ major: 1, minor, patch: 0, state }));
  const [facts] = productFacts([{ id, name: 'Cars', path: `/cars/${id}`, versions }], {
    versions: versions.map((version) => ({ ...version, productId: id, deprecatedAt: 0, sunsetAt: 0 })),
    beta: versions.map(({ major, minor }) => ({ productId: id, major, minor, applicationId: 'app_tester' })),
    late: [],
  });
  if (!facts) throw new Error('no facts');
  return facts;
}
const visible = (facts: ProductFacts | undefined, ...own: Parameters<typeof visibleProducts>[1]) =>
  visibleProducts([{ name: 'Cars', facts }], own).map(({ versions }) => versions.map(({ label }) => label));

const tester = { id: 'app_tester', environment: 'sandbox' } as const;

describe('the products a person sees (spec §3.1)', () => {
  const every = product('cars', 'retired', 'deprecated', 'live', 'beta', 'designed');

  it('have live and deprecated versions, newest first', () => {
    expect(visible(every)).toEqual([['v1.2', 'v1.1']]);
    expect(visible(every, { id: 'app_other', environment: 'sandbox' })).toEqual([['v1.2', 'v1.1']]);
  });

  it('have a Beta if one of the person’s sandbox applications is selected for it', () => {
    expect(visible(every, { id: 'app_other', environment: 'sandbox' }, tester)).toEqual([['v1.3', 'v1.2', 'v1.1']]);
    expect(visible(every, { id: 'app_tester', environment: 'production' })).toEqual([['v1.2', 'v1.1']]);
  });

  it('have a version that can be called', () => {
    expect(visible(product('cars', 'designed', 'retired'), tester)).toEqual([]);
    expect(visible(product('cars', 'beta'))).toEqual([]);
    expect(visible(undefined)).toEqual([]);
  });
});

describe('the products an application may subscribe to', () => {
  const application = (environment: 'sandbox' | 'production', ...products: string[]) =>
    ({ ...tester, environment, products }) as unknown as OwnApplication;

  it.each<[string, State, OwnApplication, boolean]>([
    ['a live one', 'live', application('sandbox'), true],
    ['its own already', 'live', application('sandbox', 'cars'), false],
    ['a deprecated one', 'deprecated', application('sandbox'), false],
    ['a Beta that it is selected for', 'beta', application('sandbox'), true],
    ['a live one in production: operators approve it', 'live', application('production'), false],
    ['a Beta in production', 'beta', application('production'), false],
    ['a retired one', 'retired', application('sandbox'), false],
  ])('%s (%s)', (_case, state, own, isOpen) => {
    expect(isOpenTo(own, product('cars', state))).toBe(isOpen);
  });
});
