import TestSequencer from '@jest/test-sequencer';

/** After the long ones: the specs that take 14 s and more beside others, slowest first. One that starts last keeps a core idle until its end. */
const SLOWEST = [
  'e2e/mail',
  'certification',
  'reservation-doubt',
  'scenarios',
  'browser/accounts',
  'reservation-privacy',
  'reservation-changes',
  'reservation-crash',
  'migrations',
  'journey',
  'proxy',
  'webhooks',
  'lifecycle',
  'lifecycle-products',
  'reservation-outcomes',
];

/** End-to-end tests before unit tests, and the slowest first, also on a machine that has run no test yet. */
export default class SlowestFirst extends TestSequencer {
  /** Returns the tests in the order in which workers take them; those of one rank in jest's order. */
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
}

function rank({ path, context }) {
  if (context.config.displayName?.name !== 'e2e') return SLOWEST.length + 1;
  if (path.includes('.long.')) return -1;
  const at = SLOWEST.findIndex((name) => path.endsWith(`/${name}.spec.ts`));
  return at === -1 ? SLOWEST.length : at;
}
