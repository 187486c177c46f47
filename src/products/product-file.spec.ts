import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configSchema } from '../config/config.schema.js';
import { readProductFile, readTiers } from './product-file.js';

const folder = mkdtempSync(join(tmpdir(), 'forecourt-products-'));
afterAll(() => rmSync(folder, { recursive: true }));

function read(versions: string, path = '/cars/p') {
  writeFileSync(
    join(folder, 'products.yaml'),
    `products:\n  - id: p\n    name: P\n    path: ${path}\n    versions: ${versions}\n`,
  );
  return readProductFile(folder);
}

describe('config/products.yaml', () => {
  it('is read with its versions, newest first', () => {
    expect(
      read('{ v1: live, v1.10: beta, v1.9: live }').products[0]?.versions.map(
        ({ minor, state }) => `${minor} ${state}`,
      ),
    ).toEqual(['10 beta', '9 live', '0 live']);
  });

  it.each([
    ['{ v1.0: live }', '/cars/p', /"v1\.0" is not a version/],
    ['{ v1: alive }', '/cars/p', /versions/],
    ['{ v1: live, v2: live }', '/cars/p', /only one major can be live/],
    ['{ v1: live }', '/cars/p/', /path/],
    ['{ v1: live }', 'cars', /path/],
  ])('versions %s under %s are rejected', (versions, path, message) => {
    expect(() => read(versions, path)).toThrow(message);
  });

  it('is valid as shipped', () => {
    expect(readProductFile('config').products.map(({ id }) => id)).toContain('car_location_keyword_search');
  });
});

describe('config/tiers.yaml', () => {
  const readWith = (costs: string, defaultTier = 'standard') => {
    read('{ v1: live }');
    writeFileSync(
      join(folder, 'tiers.yaml'),
      `demo: { perMinute: 1, burst: 1 }\nstandard: { perMinute: 1, burst: 1 }\ncosts: ${costs}\n`,
    );
    return readTiers(folder, configSchema.parse({ portal: { defaultTier } }));
  };

  it('accepts the cost of a known product', () => expect(readWith('{ p: 3 }').costs).toEqual({ p: 3 }));

  it('rejects the cost of an unknown product or a missing default tier, and lists the known names', () => {
    expect(() => readWith('{ q: 3 }', 'golden')).toThrow(
      /tiers\.yaml costs\.q: there is no such product; products\.yaml has p\n.*setting portal\.defaultTier: there is no tier "golden"; tiers\.yaml has demo, standard$/,
    );
  });
});
