import { setTimeout as wait } from 'node:timers/promises';
import { createStream, hashText } from '../../src/simulators/random.js';
import type { GatewayClient, Reply, Call as Request } from '../proof/client.js';
import { type PlayedIntent, playIntent } from '../proof/customer.js';
import type { Evidence } from '../proof/evidence.js';
import { judge, type Verdict } from '../proof/judge.js';
import { OfferPool } from '../proof/offers.js';
import { type IntentPlan, planIntent } from '../proof/plan.js';
import { clientOf, gather, historiesOf, untilClear } from '../proof/proof.js';
import type { ProofWorld } from '../proof/world.js';
import type { PostgresPair } from '../support/postgres-pair.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import type { Call, Failover } from './judge.js';

export interface FailoverOptions {
  readonly kills: number;
  readonly seed: number;
  /** Concurrent clients that book. */
  readonly concurrency: number;
  /** From the kill to the promotion: the time that a manager of failovers needs to notice. */
  readonly detectMs: number;
  /** From the end of one failover to the next kill, at least; at most twice as long. */
  readonly calmMs: number;
  /** The standby gets nothing in the last second before each kill, so that a failover loses what was committed. */
  readonly withoutStandby?: boolean;
  /** Load without a failover, before the first kill. */
  readonly quietMs: number;
  /** Receives the progress, line by line. */
  tell(line: string): void;
}

export interface FailoverRun {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly failovers: readonly Failover[];
  readonly calls: readonly Call[];
  /** When the last booking began, in epoch milliseconds. */
  readonly bookedUntil: number;
  /** Reservations that were in progress when the primary was killed. */
  readonly pendingAtKill: number;
  readonly histories: Readonly<Record<string, readonly string[]>>;
}

/** Far from what two cores answer: the proof is about the failover, not about overload. */
const SEARCH_EVERY_MS = 500;
const TOKEN_EVERY_MS = 500;

/** Kills primaries while clients book, search and get tokens; waits until everything is resolved, and judges. */
export async function runFailovers(
  world: ProofWorld,
  pair: PostgresPair,
  options: FailoverOptions,
): Promise<FailoverRun> {
  const client = await clientOf(world);
  try {
    const load = new Load(world, client, options);
    await load.begin();
    await wait(options.quietMs);
    const { failovers, pendingAtKill } = await killAll(world, pair, options);
    const bookedUntil = Date.now();
    const { played, calls } = await load.end();
    options.tell(`${played.length} bookings; waiting until nothing is open`);
    await untilClear(world, options);
    const evidence = await gather(played, [], world, client, options);
    const verdict = judge(evidence);
    const histories = await historiesOf(verdict, world);
    return { verdict, evidence, failovers, calls, bookedUntil, pendingAtKill, histories };
  } finally {
    client.close();
  }
}

async function killAll(
  world: ProofWorld,
  pair: PostgresPair,
  { kills, seed, detectMs, calmMs, withoutStandby, tell }: FailoverOptions,
): Promise<{ readonly failovers: readonly Failover[]; readonly pendingAtKill: number }> {
  const draw = createStream(hashText(seed, 'failovers'));
  const failovers: Failover[] = [];
  let pendingAtKill = 0;
  for (let count = 1; count <= kills; count += 1) {
    await wait(calmMs * (1 + draw()));
    if (withoutStandby) await pair.detach().then(() => wait(1_000));
    const [row] = await world.query("select count(*)::int as pending from reservations where state = 'pending'");
    const killedAt = Date.now();
    await pair.kill();
    await wait(detectMs);
    await pair.promote();
    const promotedAt = Date.now();
    await pair.rebuild();
    failovers.push({ killedAt, promotedAt, rebuiltAt: Date.now() });
    pendingAtKill += Number(row?.pending);
    tell(
      `kill ${count} of ${kills}: promoted after ${promotedAt - killedAt} ms, a standby again after ${Date.now() - killedAt} ms`,
    );
  }
  await wait(calmMs * 2);
  return { failovers, pendingAtKill };
}

/** What clients do from `begin` to `end`. */
class Load {
  readonly #played: PlayedIntent[] = [];
  readonly #calls: Call[] = [];
  readonly #offers: OfferPool;
  #workers: readonly Promise<void>[] = [];
  #begun = 0;
  #isOver = false;

  constructor(
    private readonly world: ProofWorld,
    private readonly client: GatewayClient,
    private readonly options: FailoverOptions,
  ) {
    this.#offers = new OfferPool(client);
  }

  async begin(): Promise<void> {
    // Searching for the offers takes longer than a booking.
    await this.#offers.take('alpine', 0);
    this.#workers = [
      ...Array.from({ length: this.options.concurrency }, () => this.#book()),
      this.#every(SEARCH_EVERY_MS, (turn) => this.#search(turn)),
      this.#every(TOKEN_EVERY_MS, (turn) => this.#token(turn)),
    ];
  }

  async end(): Promise<{ readonly played: readonly PlayedIntent[]; readonly calls: readonly Call[] }> {
    this.#isOver = true;
    await Promise.all(this.#workers);
    return { played: this.#played, calls: this.#calls };
  }

  async #book(): Promise<void> {
    while (!this.#isOver) {
      const index = this.#begun;
      this.#begun += 1;
      this.#played[index] = await playIntent(planOf(this.options.seed, index), this.client, this.#offers);
    }
  }

  async #every(ms: number, call: (turn: number) => Promise<void>): Promise<void> {
    const running: Promise<void>[] = [];
    for (let turn = 0; !this.#isOver; turn += 1) {
      running.push(call(turn));
      await wait(ms);
    }
    await Promise.all(running);
  }

  /** With the newest token: during a failover, with one from before the kill. Different numbers of results, so that most aren't answered from memory. */
  async #search(turn: number): Promise<void> {
    const path = turn % 2 === 0 ? locationsPath('boston') : vehiclesPath({ max_results: String(20 + (turn % 100)) });
    await this.#note('search', turn, { method: 'GET', path });
  }

  async #token(turn: number): Promise<void> {
    const { client_id, client_secret } = this.world.credentials();
    const path = '/oauth/token/v1';
    const reply = await this.#note('token', turn, { method: 'GET', path, headers: { client_id, client_secret } });
    // An application has a limited number of tokens, and the oldest are revoked.
    if (reply?.status === 200) this.client.token = (JSON.parse(reply.text) as { access_token: string }).access_token;
  }

  async #note(kind: Call['kind'], turn: number, call: Request): Promise<Reply | undefined> {
    const sentAt = Date.now();
    const reply = await this.client.send(turn, call);
    const [, cause] = /"(?:cause|reason)":"(\w+)"/.exec(reply && reply.status >= 400 ? reply.text : '') ?? [];
    const said = { status: reply?.status ?? 0, ...(cause === undefined ? {} : { cause }) };
    this.#calls.push({ kind, sentAt, answeredAt: Date.now(), ...said });
    return reply;
  }
}

/** Suppliers have their faults, but the wire to them has none: that is what `npm run proof:booking` plays. */
function planOf(seed: number, index: number): IntentPlan {
  const plan = planIntent(seed, index);
  return plan.fault.wire ? { ...plan, fault: { name: 'none' } } : plan;
}
