import { describe, expect, it } from '@jest/globals';
import { acceptedCoding } from './accepted-coding.js';

describe('acceptedCoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['gzip;q=1.0, zstd;q=0.5', 'gzip'],
    ['gzip;q=0.5, zstd;q=0.5', 'zstd'],
    ['zstd;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['gzip; q=0.000', undefined],
    ['*', 'zstd'],
    ['*;q=0.1, zstd;q=0', 'gzip'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['br', undefined],
    // What can't be read asks for nothing.
    ['gzip;q=2', undefined],
    ['gzip;q=none', undefined],
    [',,;=', undefined],
  ])('%j: %s', (header, coding) => {
    expect(acceptedCoding(header)).toBe(coding);
  });
});
