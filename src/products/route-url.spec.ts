import { describe, expect, it } from '@jest/globals';
import { type RoutedProduct, routeUrl } from './route-url.js';

const locations: RoutedProduct = {
  id: 'locations',
  path: '/cars/locations',
  newestLiveMajor: 2,
  openMajors: new Set([1, 2]),
};
const reservation: RoutedProduct = {
  id: 'reservation',
  path: '/cars/reservation',
  newestLiveMajor: 1,
  openMajors: new Set([1, 3]),
};
const ended: RoutedProduct = { id: 'ended', path: '/cars/ended', openMajors: new Set() };
const route = (url: string) => routeUrl(url, [locations, reservation, ended]);

describe('a URL under a product', () => {
  it.each([
    ['/cars/locations', '/cars/locations/v2', { major: 2 }],
    ['/cars/locations/', '/cars/locations/v2/', { major: 2 }],
    ['/cars/locations?keyword=v1/v1', '/cars/locations/v2?keyword=v1/v1', { major: 2 }],
    ['/cars/locations/v1', '/cars/locations/v1', { major: 1 }],
    ['/cars/locations/v1/?a=/', '/cars/locations/v1/?a=/', { major: 1 }],
    ['/cars/locations/v1.1?a', '/cars/locations/v1?a', { major: 1, minor: 1 }],
    ['/cars/locations/v1.0.1/', '/cars/locations/v1/', { major: 1, minor: 0, patch: 1 }],
    ['http://example.com/cars/locations/v1.1?a', '/cars/locations/v1?a', { major: 1, minor: 1 }],
  ])('%s is routed to %s', (url, routed, target) => {
    expect(route(url)).toEqual({ url: routed, target: { productId: 'locations', ...target } });
  });

  it('keeps the rest of the URL unchanged', () => {
    expect(route('/cars/reservation/v1.2/res_a%5Fb?x=%20')).toMatchObject({
      url: '/cars/reservation/v1/res_a%5Fb?x=%20',
    });
    expect(route('/cars/reservation/res_a')).toMatchObject({ url: '/cars/reservation/v1/res_a' });
  });

  it('routes a major without callers like an unknown one, so that only the guard behind the token answers both', () => {
    expect(route('/cars/reservation/v2/res_a')).toEqual({
      url: '/cars/reservation/v1/res_a',
      target: { productId: 'reservation', major: 2 },
    });
    expect(route('/cars/reservation/v77/res_a')?.url).toBe('/cars/reservation/v1/res_a');
    expect(route('/cars/reservation/v3/res_a')?.url).toBe('/cars/reservation/v3/res_a');
  });

  it.each([
    'v0',
    'v01',
    'v1.',
    'v1.0',
    'V1',
    'v1.1.0',
    'v1;x',
    'v1%2e1',
    'v1%2F',
    'v1/v1',
    'v1.1/V2/x',
    '/v1',
    '/',
    'v4111111111111111',
  ])('treats %j after the path as an impossible version', (rest) => {
    expect(route(`/cars/locations/${rest}`)).toEqual({ url: `/cars/locations/${rest}` });
  });

  it('has no version if the path names none and nothing is Live', () => {
    expect(route('/cars/ended')).toEqual({ url: '/cars/ended' });
    expect(route('/cars/ended/v1')).toEqual({ url: '/cars/ended/v1' });
  });
});

it.each(['/%63ars/locations/v1', '/cars%2flocations', '/cars/locations%2Fv1', '/%63ars/locations?x'])(
  'rejects %j, which is under a product only after decoding',
  (url) => {
    expect(route(url)).toEqual({ url });
  },
);

it('accepts the absolute form with a scheme in any case', () => {
  expect(route('HTTP://x/cars/locations/v1')?.target).toBeDefined();
});

it.each([
  '/',
  '/cars',
  '/cars/location/v1',
  '/cars/locationsv1',
  '/cars/locations;v1',
  '/Cars/locations/v1',
  '//cars/locations/v1',
  '/cars//locations/v1',
  '/x/cars/locations/v1',
  '/oauth/token/v1',
  '*',
  '',
])('ignores %j, which is not under a product', (url) => {
  expect(route(url)).toBeUndefined();
});
