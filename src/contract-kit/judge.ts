import { sourceLines } from '../config/source-lines.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { Operation, SupplierAdapter } from '../model/supplier.js';
import { createAdapter } from '../suppliers/create-adapter.js';
import { Bench } from './bench.js';
import { BOOKING_CASES } from './booking-cases.js';
import { Breach } from './breach.js';
import { type ContractCase } from './case.js';
import { DEADLINE_CASES } from './deadline-cases.js';
import { EXCESS_CASES } from './excess-cases.js';
import { FAILURE_CASES } from './failure-cases.js';
import { type Check, LEVEL_OF, LEVELS, type Level, levelReached } from './levels.js';
import { LOAD_CASES } from './load-cases.js';
import { OFFER_CASES } from './offer-cases.js';
import { PRICE_CASES } from './plausible-price.js';
import { PRIVACY_CASES } from './privacy-cases.js';
import { SAFETY_CASES } from './safety-cases.js';
import { SESSION_CASES } from './session-cases.js';
import { SHAPE_CASES } from './shape-cases.js';
import { openTarget } from './target.js';

/** Every case, in the order in which they are run and reported. */
export const CASES: readonly ContractCase[] = [
  ...SHAPE_CASES,
  ...OFFER_CASES,
  ...PRICE_CASES,
  ...FAILURE_CASES,
  ...SESSION_CASES,
  ...EXCESS_CASES,
  ...DEADLINE_CASES,
  ...LOAD_CASES,
  ...BOOKING_CASES,
  ...SAFETY_CASES,
  ...PRIVACY_CASES,
];

/** The kit's result for one supplier. */
export interface Verdict {
  readonly supplier: string;
  readonly adapter: string;
  /** The highest level without a failed check; absent = none. */
  readonly level?: Level;
  /** True if it ran against a simulator. */
  readonly simulated: boolean;
  readonly ms: number;
  readonly checks: readonly Check[];
  /** Numbers of bookings at a real supplier that could not be cancelled. */
  readonly left: readonly string[];
}

export interface JudgeOptions {
  /** Base URL of the supplier, or of its simulator in another process; absent = the kit starts the simulator. */
  readonly url?: string | undefined;
  /** Says that a simulator is at `url`; on this machine, the kit finds out. */
  readonly simulator?: boolean | undefined;
  /** Runs the checks up to this level; absent = all. */
  readonly level?: Level | undefined;
  /** Runs only the cases with these ids and doesn't reach a level, because other cases were not checked. Absent = all. */
  readonly cases?: readonly string[];
  /** Allows bookings at a real supplier. */
  readonly mayBook?: boolean;
  /** Called with each check when it ends. */
  readonly onCheck?: (check: Check) => void;
  /** Builds the adapter for the URL to call. Absent = the adapter of the supplier's file. */
  readonly adapterAt?: (url: string) => SupplierAdapter;
}

/**
 * Runs the checks of one configured supplier, one after the other. Rejects only if it cannot start: no supplier to
 * call, an adapter that cannot be built, or a skip reason for a check that does not exist.
 */
export async function judge(config: SupplierConfig, options: JudgeOptions = {}): Promise<Verdict> {
  const startedAt = performance.now();
  demandKnown(config);
  const target = await openTarget(config, options.url, options.simulator);
  const bench = await Bench.open(config, target, options.adapterAt ?? (() => createAdapter(config)));
  const checks: Check[] = [];
  let left: readonly string[] = [];
  try {
    const highest = LEVELS.indexOf(options.level ?? 'gold');
    for (const contractCase of CASES) {
      if (options.cases?.includes(contractCase.id) === false) continue;
      const operations = contractCase.operations.filter((operation) => LEVELS.indexOf(LEVEL_OF[operation]) <= highest);
      for await (const check of judgeCase(bench, contractCase, operations, options.mayBook ?? false)) {
        checks.push(check);
        options.onCheck?.(check);
      }
    }
    // A simulator's bookings need no cleanup.
    if (!target.simulated) left = await bench.subject.bookings.clearUp();
  } finally {
    await bench.close();
    await target.close();
  }
  const level = options.cases ? undefined : levelReached(checks);
  const { id: supplier, adapter } = config;
  const ms = Math.round(performance.now() - startedAt);
  return {
    supplier,
    adapter,
    ...(level === undefined ? {} : { level }),
    simulated: target.simulated,
    ms,
    checks,
    left,
  };
}

/** Throws for skip reasons of checks that do not exist: such a key is misspelled or outdated. */
function demandKnown({ id, contract }: SupplierConfig): void {
  const known = new Set(
    CASES.flatMap(({ id: name, operations }) => [name, ...operations.map((operation) => `${name}.${operation}`)]),
  );
  const unknown = Object.keys(contract.skip).find((key) => !known.has(key));
  if (unknown !== undefined) throw new Error(`suppliers/${id}.yaml contract.skip: the kit has no check "${unknown}"`);
}

/** The checks of a case in the order of its operations. */
async function* judgeCase(
  bench: Bench,
  contractCase: ContractCase,
  operations: readonly Operation[],
  mayBook: boolean,
): AsyncGenerator<Check> {
  if (contractCase.waits)
    yield* await Promise.all(operations.map((operation) => judgeBeside(bench, contractCase, operation, mayBook)));
  else for (const operation of operations) yield judgeOne(bench, contractCase, operation, mayBook);
}

async function judgeBeside(
  bench: Bench,
  contractCase: ContractCase,
  operation: Operation,
  mayBook: boolean,
): Promise<Check> {
  const other = await bench.beside();
  try {
    return await judgeOne(other, contractCase, operation, mayBook);
  } finally {
    await other.close();
  }
}

async function judgeOne(
  bench: Bench,
  contractCase: ContractCase,
  operation: Operation,
  mayBook: boolean,
): Promise<Check> {
  const startedAt = performance.now();
  const reason = reasonToSkip(bench, contractCase, operation, mayBook);
  if (reason !== undefined) return { case: contractCase.id, operation, result: 'skipped', reason, ms: 0 };
  const check = { case: contractCase.id, operation };
  try {
    await contractCase.run(bench, operation);
    return { ...check, result: 'passed', ms: since(startedAt) };
  } catch (error) {
    // A bug of the kit also fails the check: what could not be checked is not proven.
    const why =
      error instanceof Breach
        ? error.message
        : `the kit failed: ${error instanceof Error ? sourceLines(error.stack ?? error.message) : String(error)}`;
    return { ...check, result: 'failed', reason: why, ms: since(startedAt) };
  }
}

function reasonToSkip(
  { adapter, config, simulated }: Bench,
  contractCase: ContractCase,
  operation: Operation,
  mayBook: boolean,
): string | undefined {
  if (adapter[operation] === undefined) return `the adapter has no ${operation}`;
  const notApplicable = contractCase.notApplicable?.({ adapter, config, simulated });
  if (notApplicable !== undefined) return notApplicable;
  const { skip } = config.contract;
  const written = skip[`${contractCase.id}.${operation}`] ?? skip[contractCase.id];
  if (written !== undefined) return written;
  if (simulated) return undefined;
  const { simulated: only } = contractCase;
  if (typeof only === 'object' ? only.includes(operation) : only) return 'it needs a simulator';
  return LEVEL_OF[operation] === 'gold' && !mayBook ? 'it books at a real supplier; allow this with --book' : undefined;
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
