// Runs the unit and end-to-end tests, beside them those that mostly wait (`*.waiting.spec.ts`), then those that must run
// alone (`*.timing.spec.ts`), and ends with the line `N passed, N failed[, N skipped]` over all. Files that fail, if they
// are few, run once more alone; one that then passes is named as unstable above that line. Without an option, long specs
// (`*.long.*`) don't run; `--all`: they do; `--quick`: the unit tests that don't wait, and a few end-to-end tests. Other
// arguments are passed to jest. Exit code 1 if a test fails or none runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

// Searching, booking and tokens: what most changes break first, in about 90 s.
const QUICK = ['locations', 'reservations', 'token'];
// A file whose tests fail runs again, alone. If more files fail, the cause isn't that the machine was busy.
const MOST_REPEATED = 16;
const REPORTER = join(import.meta.dirname, '../test/support/line-reporter.mjs');
/** On two free cores. */
const GOAL_SECONDS = { quick: 90, normal: 600 };
const startedAt = performance.now();
const isQuick = process.argv.includes('--quick');
const isAll = process.argv.includes('--all');
const handedOn = process.argv.slice(2).filter((word) => !['--quick', '--all'].includes(word));
/** The selection of spec files: those whose path matches one of the patterns, but none of the classes. */
const paths = (classes, ...patterns) => [
  '--testPathPatterns',
  ...patterns.map((pattern) => `^(?!.*\\.(${classes.join('|')})\\.).*${pattern}`),
];
const unselected = isAll ? [] : ['long'];
// As many as cores: what tests start needs them as well, and on a slow machine a third worker makes tests wait too long.
// The quick run has few end-to-end tests, so it has one more.
const WORKERS = '--maxWorkers=2';
const PARALLEL = ['--selectProjects', 'unit', 'nest', 'e2e'];
// Runs of one group run at the same time, groups one after the other.
const groups = isQuick
  ? [
      [
        [
          'quick',
          ...PARALLEL,
          '--maxWorkers=3',
          ...paths(['long', 'waiting'], '/src/', `/(${QUICK.join('|')})(\\.nest)?\\.spec`),
        ],
      ],
    ]
  : [
      [
        ['busy', ...PARALLEL, WORKERS, ...paths([...unselected, 'waiting'], '')],
        // One at a time: they leave the processor to the others, and while they wait, it isn't idle.
        ['waiting', ...PARALLEL, '--runInBand', ...paths(unselected, '\\.waiting\\.')],
      ],
      [['alone', '--selectProjects', 'timing', '--runInBand', ...paths(unselected, '')]],
    ];
const folder = mkdtempSync(join(tmpdir(), 'forecourt-test-'));
// Hundreds of gateways and commands are started, and each would compile the same files.
process.env.NODE_COMPILE_CACHE ??= join(folder, 'compiled');
const total = { passed: 0, failed: 0, skipped: 0 };
const unstable = [];
for (const runs of groups) {
  const reports = await Promise.all(runs.map(([name, ...selection]) => run(name, ...selection, ...handedOn)));
  for (const [at, report] of reports.entries()) await judge(report, runs[at][0]);
}
rmSync(folder, { recursive: true, force: true });
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
const goal = isQuick ? GOAL_SECONDS.quick : GOAL_SECONDS.normal;
if (!isAll)
  console.log(`took ${Math.round((performance.now() - startedAt) / 1_000)} s; goal on two free cores: ${goal} s`);
for (const path of unstable) console.log(`unstable: ${relative(process.cwd(), path)} failed, and passed alone`);
console.log(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);

/** Adds what a run reports, after its files with failures, if they are few, have run again. */
async function judge(report, name) {
  const failed = report.files.filter(({ failed }) => failed > 0).map(({ path }) => path);
  if (failed.length === 0 || failed.length > MOST_REPEATED) {
    add(report);
    return;
  }
  add({ ...report, files: report.files.filter(({ failed }) => failed === 0) });
  const repeated = await run(`${name}-again`, '--runInBand', '--runTestsByPath', ...failed);
  add(repeated);
  const passed = new Set(repeated.files.filter(({ failed }) => failed === 0).map(({ path }) => path));
  unstable.push(...failed.filter((path) => passed.has(path)));
}

/** Runs jest. Returns the counts of each test file, and of failures that belong to none. */
async function run(name, ...options) {
  const file = join(folder, `${name}.json`);
  const jest = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  // Without --forceExit, a timer or socket that a failed test leaves keeps jest running for good.
  const words = [
    ...[...jest, ...options, '--passWithNoTests', '--forceExit'],
    ...[`--reporters=${REPORTER}`, '--json', '--outputFile', file],
  ];
  // The report is in the file; jest also prints it on stdout, where it isn't needed.
  const [status] = await once(spawn(process.execPath, words, { stdio: ['inherit', 'ignore', 'inherit'] }), 'exit');
  const files = filesOf(file);
  return { files, other: status !== 0 && files.every(({ failed }) => failed === 0) ? 1 : 0 };
}

function add({ files, other }) {
  total.failed += other;
  for (const { passed, failed, skipped } of files) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
}

/** The counts in jest's report, in its order. A file that can't be run counts as one failed test; without a report there are none. */
function filesOf(file) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8')).testResults;
  } catch (error) {
    console.error(`jest wrote no report: ${error.message}`);
    return [];
  }
  return results.map(({ name, status, assertionResults }) => {
    const count = (...statuses) => assertionResults.filter((one) => statuses.includes(one.status)).length;
    const failed = count('failed');
    return {
      path: name,
      passed: count('passed'),
      failed: failed === 0 && status === 'failed' ? 1 : failed,
      skipped: count('pending', 'todo', 'skipped', 'disabled'),
    };
  });
}
