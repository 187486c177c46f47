import type { Operation, SupplierAdapter, SupplierSession } from '../model/supplier.js';
import type { Bench } from './bench.js';
import { describeError, must } from './breach.js';
import { type ContractCase, READS, WRITES } from './case.js';
import { failureOf, itemsOf } from './ended.js';
import { instead } from './failure-plays.js';
import { pass, type ReceivedCall } from './fault-server.js';
import type { Questions } from './operations.js';

const CONCURRENT = 5;

/** The supplier's adapter with a first session that the supplier doesn't know. */
interface Forgotten {
  readonly adapter: SupplierAdapter;
  /** How many sessions were fetched, including the first. */
  logins(): number;
  /** Whether a call was made with the first session. */
  isLost(call: ReceivedCall): boolean;
}

/**
 * A session that the supplier no longer knows is replaced without a failed search, and never leads to a second booking.
 * Most cases only spoil the session in use, so the supplier itself refuses it, in its own words.
 */
export const SESSION_CASES: readonly ContractCase[] = [
  {
    id: 'expired_session',
    guarantee: 'a session that the supplier no longer knows is replaced once, and the call is answered',
    operations: READS,
    notApplicable: withoutSession,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const forgotten = forget(bench);
      const ended = await bench.withCaller((caller) => caller.ask(operation, question), forgotten);
      itemsOf(ended, 'the call with an expired session');
      must(forgotten.logins() === 2, `fetched ${forgotten.logins() - 1} new sessions; expected 1`);
    },
  },
  {
    id: 'session_403',
    guarantee: 'a session refused with 403 is replaced once, and the call is answered',
    operations: READS,
    notApplicable: withoutSession,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const forgotten = forget(bench);
      const refused = instead(403, 'No', 'text/plain');
      const ended = await bench.withCaller((caller) => {
        bench.server.play((exchange) => (forgotten.isLost(exchange.call) ? refused(exchange) : pass(exchange)));
        return caller.ask(operation, question);
      }, forgotten);
      itemsOf(ended, 'the call with a session refused with 403');
      must(forgotten.logins() === 2, `fetched ${forgotten.logins() - 1} new sessions; expected 1`);
    },
  },
  {
    id: 'restarted',
    guarantee: 'after the supplier lost all sessions, concurrent reads fetch one session; a write is sent once',
    operations: [...READS, ...WRITES],
    notApplicable: withoutSession,
    run: (bench, operation) => (WRITES.includes(operation) ? writeAfterRestart : readsAfterRestart)(bench, operation),
  },
];

async function readsAfterRestart(bench: Bench, operation: Operation): Promise<void> {
  const question = await bench.subject.question(operation);
  const forgotten = forget(bench);
  const all = await bench.withCaller(
    (caller) => Promise.all(Array.from({ length: CONCURRENT }, () => caller.ask(operation, question))),
    forgotten,
  );
  for (const ended of all) itemsOf(ended, `one of ${CONCURRENT} calls after a restart`);
  must(forgotten.logins() === 2, `fetched ${forgotten.logins() - 1} new sessions for ${all.length} calls; expected 1`);
}

/** A write that was refused isn't sent again; the next one uses a new session. */
async function writeAfterRestart(bench: Bench, operation: Operation): Promise<void> {
  const question = await writeOf(bench, operation);
  const forgotten = forget(bench);
  await bench.withCaller(async (caller) => {
    const first = await caller.ask(operation, question);
    if (!first.items) {
      const error = failureOf(first);
      must(error.fault === 'auth', `got ${describeError(error)}; expected auth`);
      itemsOf(await caller.ask(operation, question), 'the call after a refused session');
    }
    const refused = bench.server.calls.filter((call) => forgotten.isLost(call));
    must(refused.length === 1, `sent ${refused.length} calls with the lost session; expected 1`);
    must(forgotten.logins() === 2, `fetched ${forgotten.logins() - 1} new sessions; expected 1`);
  }, forgotten);
  if (!bench.simulated || operation !== 'book') return;
  const { length } = await bench.booked(question.reference);
  must(length === 1, `the supplier has ${length} bookings with the reference; expected 1`);
}

/** A write at a booking that no other case uses. */
async function writeOf(bench: Bench, operation: Operation): Promise<Questions['book' | 'modify' | 'cancel']> {
  if (operation === 'book') return bench.subject.bookRequest();
  const made = await bench.subject.book();
  return operation === 'modify' ? bench.subject.changed(made, bench.subject.firstChange()) : made.key;
}

function forget({ adapter }: Bench): Forgotten {
  let logins = 0;
  let lost: SupplierSession['headers'] = {};
  return {
    adapter: {
      ...adapter,
      authenticate: async (context) => {
        const session = await adapter.authenticate?.(context);
        must(session !== undefined, 'the adapter returned no session');
        logins += 1;
        if (logins > 1) return session;
        lost = Object.fromEntries(Object.entries(session.headers).map(([name, value]) => [name, spoiled(value)]));
        return { ...session, headers: lost };
      },
    },
    logins: () => logins,
    isLost: ({ headers }) => Object.entries(lost).some(([name, value]) => headers[name.toLowerCase()] === value),
  };
}

/** The last word reversed: `Bearer abc` becomes `Bearer cba`, which has the form of a session but isn't one. */
function spoiled(value: string): string {
  return value.replace(/\S+$/, (token) => [...token].reverse().join(''));
}

function withoutSession({ adapter }: Pick<Bench, 'adapter'>): string | undefined {
  return adapter.authenticate ? undefined : 'the supplier has no sessions';
}
