import { setTimeout as wait } from 'node:timers/promises';
import { createStream, hashText } from '../../src/simulators/random.js';
import { GatewayClient, type Reply } from './client.js';
import { askAgain, type PlayedIntent, playIntent, readKept } from './customer.js';
import type { Evidence, GivenAnswer, Intent, KeptReservation, Restore, State } from './evidence.js';
import { COUNTS, judge, type Verdict } from './judge.js';
import { OfferPool } from './offers.js';
import { type IntentPlan, planIntent, SETTLE_MS, WRITE_TIMEOUT_MS } from './plan.js';
import { planStrikes, type StrikeCount, type StrikePlan, Striker } from './strikes.js';
import type { Wire } from './wire.js';
import type { ProofWorld } from './world.js';

export interface ProofOptions {
  readonly bookings: number;
  readonly seed: number;
  readonly strikes: StrikePlan;
  /** Every second booking is made like this, in place of what is drawn. */
  readonly forced?: Partial<Pick<IntentPlan, 'fault' | 'manner'>>;
  /** Pauses last up to 30 s instead of 6 s. */
  readonly longPauses?: boolean;
  /** How long the run waits until nothing is open; default 150 s. */
  readonly clearWithinMs?: number;
  /** Concurrent clients. */
  readonly concurrency: number;
  /** Receives the progress, line by line. */
  tell(line: string): void;
}

export interface ProofResult {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
  readonly strikes: StrikeCount;
  /** Bookings that were delivered twice, late, or hidden, and questions about hidden ones. */
  readonly wire: Wire['count'];
  /** Duration of the bookings, including all crashes; resolving and reading afterwards is not counted. */
  readonly seconds: number;
  readonly clearingSeconds: number;
  /** Answers that were replayed for a key, during the run and after it. */
  readonly replays: number;
  /** Requests whose connection was lost. */
  readonly lostConnections: number;
  /** History of every reservation with a finding: `id → lines`, oldest first. */
  readonly histories: Readonly<Record<string, readonly string[]>>;
}

const TELL_EVERY_MS = 5_000;
const CLEAR_WITHIN_MS = 150_000;
const READERS = 16;
const POLL_MS = 20;
const OPEN: readonly State[] = [
  'pending',
  'unknown',
  'modify_pending',
  'cancel_pending',
  'cancel_unknown',
  'on_request',
];

/**
 * Books with faults and crashes, waits until everything is resolved, and judges. Rejects if the run itself could not be
 * completed.
 */
export async function runProof(world: ProofWorld, options: ProofOptions): Promise<ProofResult> {
  const client = await clientOf(world);
  try {
    const startedAt = Date.now();
    const striker = new Striker(world, createStream(hashText(options.seed, 'strikes')), options.longPauses === true);
    world.wire.play((index) => (index < options.bookings ? planOf(options, index).fault.wire : undefined));
    const played = await playAll(options, client, striker);
    const bookedAt = Date.now();
    options.tell(`all sent after ${seconds(startedAt)} s; waiting until nothing is open`);
    await world.wire.idle();
    await untilClear(world, options);
    const clearedAt = Date.now();
    const evidence = await gather(played, striker.restores, world, client, options);
    const verdict = judge(evidence);
    return {
      verdict,
      evidence,
      strikes: striker.count,
      wire: world.wire.count,
      seconds: (bookedAt - startedAt) / 1_000,
      clearingSeconds: (clearedAt - bookedAt) / 1_000,
      replays: evidence.intents.flatMap(({ answers }) => answers).filter(({ replayed }) => replayed).length,
      lostConnections: client.lost,
      histories: await historiesOf(verdict, world),
    };
  } finally {
    client.close();
  }
}

/** A client of both gateways with a token. */
export async function clientOf(world: ProofWorld): Promise<GatewayClient> {
  const client = new GatewayClient(world.gateways.map(({ port }) => port));
  const { client_id, client_secret } = world.credentials();
  const reply = await client.send(0, { method: 'GET', path: '/oauth/token/v1', headers: { client_id, client_secret } });
  if (reply?.status !== 200) throw new Error(`no token: ${reply?.text}`);
  client.token = (JSON.parse(reply.text) as { access_token: string }).access_token;
  return client;
}

/** Plays every intent; strikes are spread evenly among them, and each ends before the next begins. */
async function playAll(options: ProofOptions, client: GatewayClient, striker: Striker): Promise<PlayedIntent[]> {
  const { bookings, concurrency, tell } = options;
  const offers = new OfferPool(client);
  const strikes = planStrikes(options.strikes);
  const dueAt = (count: number): number =>
    count < strikes.length ? Math.floor((bookings * (count + 0.5)) / strikes.length) : bookings;
  const played: PlayedIntent[] = [];
  const startedAt = Date.now();
  let begun = 0;
  let struck = 0;
  let over = false;
  const strikeAll = async (): Promise<void> => {
    for (const kind of strikes) {
      while (begun < dueAt(struck) && !over) await wait(POLL_MS);
      if (over) return;
      await striker.strike(kind);
      struck += 1;
    }
  };
  const work = async (): Promise<void> => {
    while (begun < bookings && !over) {
      const index = begun;
      begun += 1;
      played[index] = await playIntent(planOf(options, index), client, offers);
      while (struck < strikes.length && begun >= dueAt(struck + 1) && !over) await wait(POLL_MS);
    }
  };
  const ticker = setInterval(() => {
    tell(`${seconds(startedAt)} s: ${begun} of ${bookings} begun, ${struck} of ${strikes.length} strikes`);
  }, TELL_EVERY_MS);
  try {
    await Promise.all([strikeAll(), ...Array.from({ length: concurrency }, work)]);
  } finally {
    over = true;
    clearInterval(ticker);
  }
  return played;
}

function planOf({ seed, forced }: ProofOptions, index: number): IntentPlan {
  const plan = planIntent(seed, index);
  return index % 2 === 0 ? { ...plan, ...forced } : plan;
}

/** Waits until no reservation is open or due, or 150 s. */
export async function untilClear(
  world: ProofWorld,
  { clearWithinMs = CLEAR_WITHIN_MS, tell }: Pick<ProofOptions, 'clearWithinMs' | 'tell'>,
): Promise<void> {
  const end = Date.now() + clearWithinMs;
  // Reading PGlite kills the gateway and starts it again, so it is read when all should be clear: bookings are checked for the
  // last time 13 s after they failed.
  const pauseMs = world.isPglite ? 20_000 : 500;
  if (world.isPglite) await wait(pauseMs);
  for (let told = ''; Date.now() < end; await wait(pauseMs)) {
    // A failed or confirmed reservation is final only after its last check.
    const rows = await world.query(
      `select case when state = any($1) then state else 'due ' || state end as state, count(*)::int as count from reservations
       where state = any($1) or next_check_at is not null group by 1`,
      [OPEN],
    );
    if (rows.length === 0) return;
    const open = rows.map(({ state, count }) => `${count} ${state}`).join(', ');
    if (open !== told) tell(`open: ${open}`);
    told = open;
  }
}

/** Requests every answer once more, and reads every reservation and the suppliers' books. */
export async function gather(
  played: readonly PlayedIntent[],
  restores: readonly Restore[],
  world: ProofWorld,
  client: GatewayClient,
  { tell }: Pick<ProofOptions, 'tell'>,
): Promise<Evidence> {
  tell('reading reservations and books, asking for every answer again');
  const rows = (await world.query(STORED)).map(storedOf);
  const reservations = await each(rows, async (row, index): Promise<KeptReservation> => {
    const kept = row.state === 'confirmed' ? await readKept(row.id, index, client) : undefined;
    return kept ? { ...row, kept } : row;
  });
  const withReservation = new Set(reservations.map(({ key }) => key));
  const intents = await each(played, async (intent, index): Promise<Intent> => {
    // Another key may book now. The key of a reservation that was lost must not.
    const isNamed = intent.answers.some(({ text }) => /res_\w{20}/.test(text));
    if (!withReservation.has(intent.key) && !isNamed) return intent;
    const reply = await askAgain(intent, index, client);
    return reply ? { ...intent, answers: [...intent.answers, replayOf(reply)] } : intent;
  });
  const [first] = restores;
  const settledAfterMs = SETTLE_MS + WRITE_TIMEOUT_MS;
  const listed = await world.listed();
  const audited = first ? await world.audited(first.from) : {};
  return { intents, reservations, books: await world.books(), listed, restores, audited, settledAfterMs };
}

const STORED = `select r.id, coalesce(client_reference, '') as key, supplier, state, confirmation_number as confirmation,
    extract(epoch from created_at)::float8 * 1000 as "createdAt", next_check_at is not null as "isDue",
    (select extract(epoch from min(e.at))::float8 * 1000 from reservation_events e
      where e.reservation_id = r.id and e.to_state = 'failed' and e.actor = 'reconciler') as "givenUpAt",
    exists (select 1 from reservation_events e where e.reservation_id = r.id and e.from_state = 'failed' and e.to_state = 'cancel_unknown') as "isRevoked"
  from reservations r order by created_at`;

function storedOf(row: Record<string, unknown>): Omit<KeptReservation, 'kept'> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as unknown as KeptReservation;
}

/** The histories of what a verdict finds, by reservation. */
export async function historiesOf(verdict: Verdict, world: ProofWorld): Promise<Record<string, string[]>> {
  const ids = COUNTS.flatMap((count) => verdict[count]).map(({ about }) => about);
  if (ids.length === 0) return {};
  const rows = await world.query(
    `select reservation_id, array_agg(concat_ws(' ', at at time zone 'UTC', from_state, '→', to_state, actor, reason) order by version) as lines
     from reservation_events where reservation_id = any($1) group by reservation_id`,
    [ids],
  );
  return Object.fromEntries(rows.map(({ reservation_id, lines }) => [String(reservation_id), lines as string[]]));
}

function replayOf(reply: Reply): GivenAnswer {
  return { status: reply.status, replayed: true, text: `${reply.status} ${reply.text}` };
}

async function each<T, R>(list: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const reader = async (): Promise<void> => {
    for (let index = next++; index < list.length; index = next++) {
      const item = list[index];
      if (item !== undefined) results[index] = await work(item, index);
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  return results;
}

function seconds(since: number): string {
  return ((Date.now() - since) / 1_000).toFixed(1);
}
