import TestSequencer from '@jest/test-sequencer';

/** After the long ones: the specs that take about half a minute and more beside others, slowest first. One that starts last keeps a core idle until its end. */
const SLOWEST = [
  'reservation-privacy',
  'doctor',
  'certification',
  'reservation-store',
  'proxy',
  'webhooks',
  'browser/accounts',
  'accounts-limits',
  'e2e/mail',
  'gw-live',
  'lifecycle',
  'smuggling',
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
  if (path.includes('.long.')) return -1;
  const at = SLOWEST.findIndex((name) => path.endsWith(`/${name}.spec.ts`));
  return at === -1 ? SLOWEST.length : at;
}
