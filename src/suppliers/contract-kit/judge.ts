import type { SupplierConfig } from '../../config/supplier-config.schema.js';
import { createAdapter } from '../create-adapter.js';
import type { Operation, SupplierAdapter } from '../supplier.js';
import { Bench } from './bench.js';
import { BOOKING_CASES } from './booking-cases.js';
import { Breach } from './breach.js';
import { type ContractCase } from './case.js';
import { DEADLINE_CASES } from './deadline-cases.js';
import { FAILURE_CASES } from './failure-cases.js';
import { LOAD_CASES } from './load-cases.js';
import { PRIVACY_CASES } from './privacy-cases.js';
import { SAFETY_CASES } from './safety-cases.js';
import { SHAPE_CASES } from './shape-cases.js';
import { openTarget } from './target.js';

/** Every case, in the order in which they are judged and shown. */
export const CASES: readonly ContractCase[] = [
  ...SHAPE_CASES,
  ...FAILURE_CASES,
  ...DEADLINE_CASES,
  ...LOAD_CASES,
  ...BOOKING_CASES,
  ...SAFETY_CASES,
  ...PRIVACY_CASES,
];

/** What an adapter can be used for: bronze searches, silver also prices, gold also books. */
export type Level = 'bronze' | 'silver' | 'gold';

/** From the lowest. */
export const LEVELS: readonly Level[] = ['bronze', 'silver', 'gold'];

const LEVEL_OF: { readonly [O in Operation]: Level } = {
  searchLocations: 'bronze',
  searchVehicles: 'bronze',
  priceCheck: 'silver',
  book: 'gold',
  retrieve: 'gold',
  modify: 'gold',
  cancel: 'gold',
};

/** Without it a level is not reached, however well the rest goes. */
const NEEDED: { readonly [L in Level]: Operation } = { bronze: 'searchVehicles', silver: 'priceCheck', gold: 'book' };

/** One case judged for one operation. `reason`: why it failed or was skipped. */
export interface Check {
  readonly case: string;
  readonly operation: Operation;
  readonly result: 'passed' | 'failed' | 'skipped';
  readonly reason?: string;
  /** Milliseconds. */
  readonly ms: number;
}

/** What the kit says of one supplier. */
export interface Verdict {
  readonly supplier: string;
  readonly adapter: string;
  /** The highest level of which no check failed; absent = none. */
  readonly level?: Level;
  /** Judged against a simulator. */
  readonly simulated: boolean;
  readonly ms: number;
  readonly checks: readonly Check[];
  /** Numbers of bookings at a real supplier that could not be cancelled. */
  readonly left: readonly string[];
}

export interface JudgeOptions {
  /** Base URL of the supplier, or of its simulator in another process; absent = the kit starts the simulator. */
  readonly url?: string | undefined;
  /** Judges up to this level; absent = all. */
  readonly level?: Level | undefined;
  /** A real supplier may be booked at. */
  readonly mayBook?: boolean;
  /** Told of each check as it ends. */
  readonly onCheck?: (check: Check) => void;
  /** What builds the adapter; it is told the URL to call. Absent = as the supplier's file says. */
  readonly adapterAt?: (url: string) => SupplierAdapter;
}

/** Judges one configured supplier, one check after the other. Rejects only when it could not begin: no supplier to ask, an adapter that cannot be built. */
export async function judge(config: SupplierConfig, options: JudgeOptions = {}): Promise<Verdict> {
  const startedAt = performance.now();
  const target = await openTarget(config, options.url);
  const bench = await Bench.open(config, target, options.adapterAt ?? (() => createAdapter(config)));
  const checks: Check[] = [];
  let left: readonly string[] = [];
  try {
    const highest = LEVELS.indexOf(options.level ?? 'gold');
    for (const contractCase of CASES) {
      for (const operation of contractCase.operations) {
        if (LEVELS.indexOf(LEVEL_OF[operation]) > highest) continue;
        const check = await judgeOne(bench, contractCase, operation, options.mayBook ?? false);
        checks.push(check);
        options.onCheck?.(check);
      }
    }
    // The book of a simulator that another process serves is nobody's concern.
    if (!target.simulated) left = await bench.subject.clearUp();
  } finally {
    await bench.close();
    await target.close();
  }
  const level = levelReached(bench.adapter, checks);
  const { id: supplier, adapter } = config;
  const ms = Math.round(performance.now() - startedAt);
  return { supplier, adapter, ...(level === undefined ? {} : { level }), simulated: target.simulated, ms, checks, left };
}

async function judgeOne(bench: Bench, contractCase: ContractCase, operation: Operation, mayBook: boolean): Promise<Check> {
  const startedAt = performance.now();
  const reason = reasonToSkip(bench, contractCase, operation, mayBook);
  if (reason !== undefined) return { case: contractCase.id, operation, result: 'skipped', reason, ms: 0 };
  const check = { case: contractCase.id, operation };
  try {
    await contractCase.run(bench, operation);
    return { ...check, result: 'passed', ms: since(startedAt) };
  } catch (error) {
    // The kit's own fault is a failed check, too: what could not be judged has not been kept.
    const why = error instanceof Breach ? error.message : `the kit failed: ${error instanceof Error ? error.stack : String(error)}`;
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
  const { skip } = config.contract;
  const written = skip[`${contractCase.id}.${operation}`] ?? skip[contractCase.id];
  if (written !== undefined) return written;
  if (simulated)
    return contractCase.worldly && config.simulator?.dialect === 'recorded' ? 'its recorded answers know one place' : undefined;
  if (contractCase.simulated) return 'only a simulator can play it';
  return LEVEL_OF[operation] === 'gold' && !mayBook ? 'it would book at a real supplier: allow it with --book' : undefined;
}

function levelReached(adapter: SupplierAdapter, checks: readonly Check[]): Level | undefined {
  let reached: Level | undefined;
  for (const level of LEVELS) {
    const own = checks.filter(({ operation }) => LEVEL_OF[operation] === level);
    const kept = own.some(({ result }) => result === 'passed') && own.every(({ result }) => result !== 'failed');
    if (!kept || adapter[NEEDED[level]] === undefined) return reached;
    reached = level;
  }
  return reached;
}

function since(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}
