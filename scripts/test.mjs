// Runs the unit and end-to-end tests, then those that must run alone (`*.timing.spec.ts`), and ends with the line `N
// passed, N failed[, N skipped]` over all. `--quick`: the unit tests and a few end-to-end tests. Other arguments are
// passed to jest. Exit code 1 if a test fails or none runs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Searching, booking and tokens: what most changes break first, in about 90 s.
const QUICK = ['locations', 'reservations', 'token'];
const isQuick = process.argv.includes('--quick');
const handedOn = process.argv.slice(2).filter((word) => word !== '--quick');
// End-to-end tests sometimes wait for processes and suppliers: a third worker uses that time.
const runs = isQuick
  ? [
      [
        'quick',
        '--selectProjects',
        'unit',
        'nest',
        'e2e',
        '--maxWorkers=3',
        '--testPathPatterns',
        './src/',
        `/(${QUICK.join('|')})(\\.nest)?\\.spec`,
      ],
    ]
  : [
      ['parallel', '--selectProjects', 'unit', 'nest', 'e2e', '--maxWorkers=3'],
      ['alone', '--selectProjects', 'timing', '--runInBand'],
    ];
const folder = mkdtempSync(join(tmpdir(), 'forecourt-test-'));
// Hundreds of gateways and commands are started, and each would compile the same files.
process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled');
const total = { passed: 0, failed: 0, skipped: 0 };
for (const [name, ...selection] of runs) {
  const file = join(folder, `${name}.json`);
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const options = [...selection, '--passWithNoTests', '--json', '--outputFile', file];
  // The report is in the file; jest also prints it on stdout, where it isn't needed.
  const { status } = spawnSync(process.execPath, [...jest, ...options, ...handedOn], {
    stdio: ['inherit', 'ignore', 'inherit'],
  });
  const report = readReport(file);
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
  total.skipped += report.numPendingTests + report.numTodoTests;
  if (status !== 0 && report.numFailedTests + report.numRuntimeErrorTestSuites === 0) total.failed += 1;
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);

/** A run without a report counts as one suite that failed to run. */
function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`jest wrote no report: ${error.message}`);
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, numRuntimeErrorTestSuites: 1 };
  }
}
