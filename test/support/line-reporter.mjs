// The reporter of jest for complete runs: a line per file when it ends, with what failed and what it logged. Jest's own adds up
// all running tests at each test that ends, which took 100 s of processor time in a run of 11,000 tests.
import { relative } from 'node:path';

export default class LineReporter {
  #ended = 0;

  onTestResult(
    { path },
    { numFailingTests, failureMessage, testExecError, console: logged, perfStats },
    { numTotalTestSuites },
  ) {
    this.#ended += 1;
    const isFailed = numFailingTests > 0 || testExecError !== undefined;
    const count = `${this.#ended}/${numTotalTestSuites}`;
    const seconds = (perfStats.runtime / 1000).toFixed(1);
    print(`${isFailed ? 'FAIL' : 'PASS'} ${count} ${relative(process.cwd(), path)} (${seconds} s)`);
    for (const { message } of logged ?? []) print(message);
    if (failureMessage) print(failureMessage);
  }
}

/** On stderr, as jest's reporters do. */
function print(text) {
  process.stderr.write(`${text}\n`);
}
