import Sequencer from '@jest/test-sequencer';

/**
 * The order in which workers take the spec files: end-to-end tests first, and otherwise jest's order (by duration, or by
 * size where there are no durations yet, as in a new clone). A short file that runs for two minutes would often start
 * last, when the other workers have nothing left to do; now many short unit tests are left for the end.
 */
export default class E2eFirst extends Sequencer {
  /** @override */
  sort(tests) {
    const rank = ({ context }) => (context.config.displayName?.name === 'e2e' ? 0 : 1);
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b));
  }
}
