import { hashText } from '../../src/simulators/random.js';
import type { LimitRate } from '../../src/store/gcra.js';
import type { PolicyLimits } from '../../src/store/limits.js';
import type { ApplicationPolicy } from '../../src/store/store.js';
import type { LimitRun } from './evidence.js';
import { LoadClient, schedule } from './load.js';
import { type LimitsWorld, tokenOf } from './world.js';

export interface ProofOptions {
  readonly seed: number;
  /** The length of each load. */
  readonly seconds: number;
  /** The gateways that share the calls, in turn. */
  readonly gateways: readonly number[];
  /** Limits in calls per minute, all loaded concurrently. */
  readonly limits: readonly number[];
  readonly loads: readonly number[];
}

/** The account's limit in the shared case, and the limit of each of its two applications. */
const SHARED: { readonly account: LimitRate; readonly application: LimitRate } = {
  account: { perMinute: 600, burst: 10 },
  application: { perMinute: 500, burst: 9 },
};

/** Calls to each gateway before the first load. */
const WARM_UP = 30;

/**
 * Applies every load to every limit over every number of gateways. Rejects if the run itself could not be completed.
 */
export async function runLimits(
  world: LimitsWorld,
  options: ProofOptions,
  tell: (line: string) => void,
): Promise<LimitRun[]> {
  const runs: LimitRun[] = [];
  await warmUp(world);
  for (const gateways of options.gateways) {
    const client = new LoadClient(world.ports.slice(0, gateways));
    for (const load of options.loads) {
      tell(`${gateways} gateways, ${load} × for ${options.seconds} s`);
      const label = `${gateways}x${load}`;
      const own = options.limits.map((perMinute) =>
        runOne(world, client, options, { gateways, load, perMinute, label }),
      );
      const all = await Promise.all([...own, runShared(world, client, options, { gateways, load, label })]);
      runs.push(...all.flat());
    }
    client.close();
  }
  return runs;
}

/**
 * Calls each gateway one call after the other: one that has just started may keep the burst of the first load waiting for
 * so long that it refuses calls as overloaded.
 */
async function warmUp(world: LimitsWorld): Promise<void> {
  const policy = applicationOf('warm-up', { application: { perMinute: 60_000, burst: WARM_UP * world.ports.length } });
  const token = tokenOf(policy);
  await world.put(policy, token);
  const client = new LoadClient(world.ports);
  await Promise.all(
    world.ports.map(async (port) => {
      for (let call = 0; call < WARM_UP; call += 1) await client.send(token, port);
    }),
  );
  client.close();
}

/** A burst of one second's calls, at least three: pauses of a busy client must not look like refusals. */
export function rateOf(perMinute: number): LimitRate {
  return { perMinute, burst: Math.max(3, Math.ceil(perMinute / 60)) };
}

/** An application with a name that is unique in this run. */
export function applicationOf(name: string, limits: PolicyLimits, account = name): ApplicationPolicy {
  const id = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return {
    accountId: `acc_${id(account)}`,
    applicationId: `app_${id(name)}`,
    clientId: name,
    environment: 'sandbox',
    limits,
    products: ['car_location_keyword_search'],
  };
}

interface Run {
  readonly gateways: number;
  readonly load: number;
  readonly label: string;
}

async function runOne(
  world: LimitsWorld,
  client: LoadClient,
  { seed, seconds }: ProofOptions,
  { gateways, load, perMinute, label }: Run & { readonly perMinute: number },
): Promise<LimitRun[]> {
  const rate = rateOf(perMinute);
  const policy = applicationOf(`own ${label} ${perMinute}`, { application: rate });
  const token = tokenOf(policy);
  await world.put(policy, token);
  const calls = await client.run(token, schedule(rate, load, seconds, hashText(seed, policy.clientId)));
  return [{ gateways, load, rate, calls, name: `${perMinute}/min`, isTightest: true }];
}

/** Two applications of one account: the account's limit is the tightest, and each application's limit also holds. */
async function runShared(
  world: LimitsWorld,
  client: LoadClient,
  { seed, seconds }: ProofOptions,
  run: Run,
): Promise<LimitRun[]> {
  const { gateways, load, label } = run;
  const due = schedule(SHARED.account, load, seconds, hashText(seed, `shared ${label}`));
  const parts = await Promise.all(
    [0, 1].map(async (part) => {
      const policy = applicationOf(`shared ${label} ${part}`, SHARED, `shared ${label}`);
      const token = tokenOf(policy);
      await world.put(policy, token);
      return await client.run(
        token,
        due.filter((_, at) => at % 2 === part),
      );
    }),
  );
  const { account, application } = SHARED;
  return [
    { gateways, load, rate: account, calls: parts.flat(), name: `account ${account.perMinute}/min`, isTightest: true },
    ...parts.map((calls, part) => ({
      gateways,
      load,
      rate: application,
      calls,
      name: `its application ${part + 1}, ${application.perMinute}/min`,
      isTightest: false,
    })),
  ];
}
