import { describe, expect, it } from '@jest/globals';
import { exactVersion, formatVersion, fulfils, newestFirst, parseVersion } from './version.js';

describe('the grammar of spec §9.1', () => {
  it.each([
    ['v1', { major: 1 }],
    ['v12', { major: 12 }],
    ['v1.1', { major: 1, minor: 1 }],
    ['v1.10', { major: 1, minor: 10 }],
    ['v1.1.1', { major: 1, minor: 1, patch: 1 }],
    ['v2.0.1', { major: 2, minor: 0, patch: 1 }],
  ])('%s is a version and is formatted the same', (text, requested) => {
    const parsed = parseVersion(text);
    expect(parsed).toEqual(requested);
    expect(parsed && formatVersion(exactVersion(parsed))).toBe(text);
  });

  it.each(
    `v0 v01 v1. v1.0 v1.01 v1.0.0 v1.1.0 v1.1. v1.1.01 v1..1 v.1 v1.1.1.1 V1 1 1.1 v v1a v1-1 v1.x v1;x v١ v99999 v1%2e1 v1\n`.split(
      ' ',
    ),
  )('%j is not a version', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });
});

describe('order', () => {
  it('is numeric, not alphabetical, with the newest first', () => {
    const texts = ['v1', 'v1.10', 'v1.9', 'v2.0.1', 'v10', 'v1.9.2', 'v2', 'v1.0.1'];
    const sorted = texts.flatMap((text) => parseVersion(text) ?? []).map(exactVersion);
    expect(sorted.sort(newestFirst).map(formatVersion)).toEqual([
      'v10',
      'v2.0.1',
      'v2',
      'v1.10',
      'v1.9.2',
      'v1.9',
      'v1.0.1',
      'v1',
    ]);
  });
});

describe('a requested', () => {
  it.each([
    ['v1', ['v1', 'v1.0.1', 'v1.1', 'v1.1.2']],
    ['v1.1', ['v1.1', 'v1.1.2']],
    ['v1.1.2', ['v1.1.2']],
    ['v1.0.1', ['v1.0.1']],
    ['v2', ['v2']],
    ['v3', []],
    ['v1.3', []],
  ])('%s matches %j', (text, expected) => {
    const all = ['v1', 'v1.0.1', 'v1.1', 'v1.1.2', 'v2']
      .flatMap((version) => parseVersion(version) ?? [])
      .map(exactVersion);
    const requested = parseVersion(text);
    expect(requested && all.filter((version) => fulfils(version, requested)).map(formatVersion)).toEqual(expected);
  });
});
