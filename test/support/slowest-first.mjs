import TestSequencer from '@jest/test-sequencer';

/** The specs that take about half a minute and more beside others, slowest first. One that starts last keeps a core idle until its end. */
const SLOWEST = [
  'booking-proof',
  'adding-a-supplier',
  'browser/console',
  'redis-proof',
  'supplier-switch',
  'booking-proof-mutants',
  'cluster-page',
  'reservation-privacy',
  'browser/operations',
  'canary-return',
  'failover-proof',
  'doctor',
  'rolling-restarts',
  'webhooks-proof',
  'certification',
  'reservation-store',
  'proxy',
  'browser/applications',
  'webhooks',
  'browser/usage',
  'alerting',
  'browser/accounts',
  'browser/docs',
  'redis-cluster',
  'proxy-reservations',
  'accounts-limits',
  'e2e/mail',
  'adapter-cli',
  'load',
  'idle',
  'ota-dialect',
  'restore',
  'gw-live',
  'contract-kit-mutants',
  'lifecycle',
  'smuggling',
  'records-bounds',
  'secrets',
  'scenarios',
  'sandbox-bookings',
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
