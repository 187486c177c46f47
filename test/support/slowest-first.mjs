import TestSequencer from '@jest/test-sequencer';

/** Long specs first, then end-to-end tests, then unit tests: a long one that starts last keeps a core idle until its end. */
export default class SlowestFirst extends TestSequencer {
  /** Returns the tests in the order in which workers take them; those of one rank in jest's order. */
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}

function rank({ path, context }) {
  if (context.config.displayName?.name !== 'e2e') return 2;
  return path.includes('.long.') ? 0 : 1;
}
