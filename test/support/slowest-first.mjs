import TestSequencer from '@jest/test-sequencer';

/** The specs that take about half a minute and more beside others, slowest first. One that starts last keeps a core idle until its end. */
const SLOWEST = [
  'booking-proof',
  'adding-a-supplier',
  'browser/console',
  'supplier-switch',
  'certification',
  'docs-examples',
  'idle',
  'rolling-restarts',
  'booking-proof-mutants',
  'browser/docs',
  'reservation-store',
  'accounts-limits',
  'recorded-suppliers',
  'doctor',
  'browser/accounts',
  'browser/operations',
  'proxy',
  'reservation-privacy',
  'mail',
  'records',
  'contract-kit-mutants',
  'secrets',
  'browser/usage',
  'search-pages',
  'accounts-sessions',
  'scenarios',
  'proxy-reservations',
  'e2e/console',
  'ota-dialect',
  'webhooks',
  'e2e/applications',
  'browser/applications',
  'restore',
  'reservation-database',
  'smuggling',
  'gw-live',
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
