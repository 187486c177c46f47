import TestSequencer from '@jest/test-sequencer';

/** The specs that take half a minute and more, slowest first. One that starts last keeps a core idle until its end. */
const SLOWEST = [
  'booking-proof',
  'booking-proof-mutants',
  'adding-a-supplier',
  'rolling-restarts',
  'reservation-store',
  'ota-dialect',
  'mail',
  'adapter-cli',
  'proxy-reservations',
  'recorded-suppliers',
  'dist',
  'docs',
  'accounts',
  'console',
  'gw-live',
  'contract-kit-mutants',
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
  const at = SLOWEST.findIndex((name) => path.endsWith(`/${name}.spec.ts`));
  return at === -1 ? SLOWEST.length : at;
}
