import { setTimeout as wait } from 'node:timers/promises';
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.js';
import { startRedisSentinels } from '../support/redis-sentinel.js';
import {
  type AccountCall,
  judgeStrike,
  type Observed,
  overAdmitted,
  type Strike,
  strangeCalls,
  type Verdict,
} from './judge.js';
import { LIMITED, type RedisWorld, startWorld } from './world.js';

/** After this time without an answer, a master counts as failed. */
export const NODE_TIMEOUT_MS = 2_000;
/** The longest time of 503 after a strike. */
const MOST_OUTAGE_MS = NODE_TIMEOUT_MS + 2_000;
const ACCOUNTS = 31;
const READY_EVERY_MS = 50;
const CALM_MS = 1_000;

export interface RedisProofOptions {
  readonly perSecond: number;
  readonly kills: number;
  readonly reshards: number;
}

export interface RedisRun {
  readonly calls: number;
  readonly strange: number;
  readonly overAdmitted: number;
  readonly slowestReadyMs: number;
  readonly verdicts: readonly Verdict[];
  readonly isProven: boolean;
}

type StrikeNow = () => Promise<{
  readonly name: string;
  readonly affected: ReadonlySet<number>;
  settle(): Promise<void>;
}>;

/** Kills masters of a cluster and moves slots, under load. */
export async function runCluster({ perSecond, kills, reshards }: RedisProofOptions): Promise<RedisRun> {
  const cluster = await startRedisCluster(NODE_TIMEOUT_MS);
  const world = await startWorld(cluster.url, ACCOUNTS);
  try {
    const strikes: StrikeNow[] = [
      ...Array.from({ length: reshards }, (_, at) => () => reshard(cluster, world, at)),
      ...Array.from({ length: kills }, (_, at) => () => killMaster(cluster, world, at)),
    ];
    return await underLoad(world, perSecond, strikes);
  } finally {
    await world.dispose();
    await cluster.dispose();
  }
}

/** Kills the master of Sentinels, under load. */
export async function runSentinels({ perSecond, kills }: RedisProofOptions): Promise<RedisRun> {
  const sentinels = await startRedisSentinels(NODE_TIMEOUT_MS);
  const world = await startWorld(sentinels.url, ACCOUNTS);
  const all = new Set(world.slots.keys());
  const kill: StrikeNow = async () => {
    const master = await sentinels.master();
    await master.kill();
    const settle = async (): Promise<void> => {
      await wait(MOST_OUTAGE_MS);
      await master.start();
      await sentinels.settled();
    };
    return { name: 'master killed (Sentinel)', affected: all, settle };
  };
  try {
    return await underLoad(
      world,
      perSecond,
      Array.from({ length: kills }, () => kill),
    );
  } finally {
    await world.dispose();
    await sentinels.dispose();
  }
}

async function killMaster(cluster: RedisCluster, world: RedisWorld, at: number): ReturnType<StrikeNow> {
  const masters = await Promise.all(world.slots.map((slot) => cluster.masterOf(slot)));
  const killed = masters[(at * 7) % masters.length];
  await killed?.kill();
  const affected = new Set([...world.slots.keys()].filter((account) => masters[account] === killed));
  const settle = async (): Promise<void> => {
    await wait(MOST_OUTAGE_MS);
    await killed?.start();
    await cluster.settled();
  };
  return { name: 'master killed', affected, settle };
}

/** The accounts whose slot may be in the middle of a move: none may fail, because calls wait for that. */
async function reshard(cluster: RedisCluster, world: RedisWorld, at: number): ReturnType<StrikeNow> {
  const [from, to] = await Promise.all(
    [at, at + 1].map((part) => cluster.masterOf(((part % 3) * 5_461 + 4_000) % 16_384)),
  );
  if (!from || !to || from === to) throw new Error('the masters to move slots between are not two');
  return { name: 'slots moved', affected: new Set(world.slots.keys()), settle: () => cluster.reshard(from, to, 500) };
}

async function underLoad(world: RedisWorld, perSecond: number, strikes: readonly StrikeNow[]): Promise<RedisRun> {
  const calls: Promise<AccountCall>[] = [];
  const readiness: Promise<Observed>[] = [];
  const fromMs = performance.now();
  const load = setInterval(() => {
    const due = ((performance.now() - fromMs) * perSecond) / 1_000;
    while (calls.length < due) calls.push(world.call(calls.length % ACCOUNTS));
  }, 5);
  const asking = setInterval(() => readiness.push(world.ready()), READY_EVERY_MS);
  const done: Strike[] = [];
  try {
    for (const strike of strikes) {
      await wait(CALM_MS);
      const strikeMs = performance.now();
      const { name, affected, settle } = await strike();
      await settle();
      done.push({ name, affected, fromMs: strikeMs, toMs: performance.now() });
    }
    await wait(CALM_MS);
  } finally {
    clearInterval(load);
    clearInterval(asking);
  }
  const [observed, ready] = await Promise.all([Promise.all(calls), Promise.all(readiness)]);
  const verdicts = done.map((strike) => judgeStrike(strike, observed, ready));
  const strange = strangeCalls(observed);
  const admitted = observed.filter(({ account, status }) => account === ACCOUNTS - 1 && status === 400).length;
  const over = overAdmitted(admitted, LIMITED.perMinute, LIMITED.burst, performance.now() - fromMs);
  const isWithin = verdicts.every(
    ({ unaffected, outageMs, falselyReadyMs }) =>
      unaffected === 0 && outageMs <= MOST_OUTAGE_MS && falselyReadyMs === 0,
  );
  return {
    ...{ calls: observed.length, strange, verdicts, overAdmitted: over },
    slowestReadyMs: Math.max(...ready.map(({ sentMs, answeredMs }) => answeredMs - sentMs)),
    isProven: isWithin && strange === 0 && over <= LIMITED.burst * done.length,
  };
}
