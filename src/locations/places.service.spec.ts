import { describe, expect, it } from '@jest/globals';
import type { Config } from '../config/config.module.js';
import { ApiError } from '../status/api-error.js';
import { PlacesService } from './places.service.js';

const service = (environment: 'sandbox' | 'production') =>
  new PlacesService({ environment, search: { locationsMaxAgeSeconds: 300 } } as Config);
const codesOf = (environment: 'sandbox' | 'production', keyword: string, country_code?: string) =>
  service(environment)
    .find({ keyword, country_code, max_results: 3 })
    .map(({ code }) => code);
const reasonOf = (act: () => unknown) => {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof ApiError ? error.problems[0].reason : error;
  }
};

describe('the magic places', () => {
  it('are suggested in the sandbox, by their code and in no real country', () => {
    expect([codesOf('sandbox', 'zzt404'), codesOf('sandbox', 'ZZT404', 'ZZ')]).toEqual([['ZZT404'], ['ZZT404']]);
    expect(reasonOf(() => codesOf('sandbox', 'ZZT404', 'US'))).toBe('no_results');
  });

  it('never appear in production, and neither does their country', () => {
    expect(reasonOf(() => codesOf('production', 'ZZT404'))).toBe('no_results');
    expect(reasonOf(() => codesOf('production', 'paris', 'ZZ'))).toBe('invalid_range');
    expect(codesOf('production', 'CDG')[0]).toBe('CDG');
  });
});

describe('a suggestion', () => {
  it('names its region and country, and the airports of a city', () => {
    const [boston] = service('production').find({ keyword: 'boston', country_code: 'US', max_results: 1 });
    expect(boston).toMatchObject({
      type: 'city',
      name: 'Boston',
      region: 'Massachusetts',
      country: 'United States',
      time_zone: 'America/New_York',
      airports: ['BOS'],
    });
  });
});
