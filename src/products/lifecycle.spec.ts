import { describe, expect, it } from '@jest/globals';
import { mayBecome, mayBeRestored, outlived, promoted, STATES } from './lifecycle.js';

describe('the life of a version (spec §3.1)', () => {
  it('allows only transitions to the next state', () => {
    const allowed = STATES.flatMap((from) => STATES.filter((to) => mayBecome(from, to)).map((to) => `${from} → ${to}`));
    expect(allowed).toEqual(['designed → beta', 'beta → live', 'live → deprecated', 'deprecated → retired']);
  });

  it('allows one way back, from Retired, and no other transition does the same', () => {
    expect(STATES.filter(mayBeRestored)).toEqual(['retired']);
    expect(STATES.filter((to) => mayBecome('retired', to))).toEqual([]);
  });

  it('can be promoted up to Live', () => {
    expect(STATES.map(promoted)).toEqual(['beta', 'live', undefined, undefined, undefined]);
  });
});

describe('outlived', () => {
  const version = (major: number, minor: number, state: (typeof STATES)[number]) => ({ major, minor, patch: 0, state });

  it('are all Live versions of earlier majors if a newer one is Live (spec §9.6)', () => {
    const versions = [
      version(3, 0, 'beta'),
      version(2, 0, 'live'),
      version(1, 1, 'live'),
      version(1, 0, 'live'),
      version(1, 2, 'beta'),
    ];
    expect(outlived(versions)).toEqual([version(1, 1, 'live'), version(1, 0, 'live')]);
  });

  it('are none if only one major is Live, with any number of minors', () => {
    expect(outlived([version(1, 0, 'live'), version(1, 1, 'live'), version(2, 0, 'beta')])).toEqual([]);
    expect(outlived([])).toEqual([]);
  });
});
