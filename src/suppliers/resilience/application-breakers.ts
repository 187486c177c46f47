import type { BreakerOverview } from '../../metrics/supplier-resilience.js';
import { Breaker, type BreakerReason, type BreakerSettings, type BreakerState, faultOf } from './breaker.js';
import { type Caller, PerApplication } from './caller.js';
import type { Health } from './evidence.js';

/** Applications weighed per failed call on average: with more, not every failed call leads to a decision. */
const JUDGED_PER_FAULT = 32;

/** The scope of an opening that concerns every application; other scopes are `acc_…` and `app_…`. */
export const EVERYONE = '*';

/** One admitted call. */
export interface Permit {
  readonly member: Member;
  readonly era: number;
}

interface Member {
  readonly caller: Caller;
  readonly breaker: Breaker;
  usedAtMs: number;
  /** When a call last counted against the supplier. */
  faultAtMs: number;
}

interface Opening {
  readonly atMs: number;
  readonly endsAtMs: number;
  readonly reason: 'others' | 'other_gateway';
}

/** The questions of one voter; failed and slow ones in shares. */
interface Vote {
  readonly total: number;
  readonly failed: number;
  readonly slow: number;
}

/**
 * The breakers of one operation of one supplier, one per application (decision 0026). An application's own calls open
 * its breaker. The calls of others open it only if they would do so without any one of them, and if its own calls don't
 * prove the opposite: the other applications of its account are weighed one by one, all accounts together.
 */
export class ApplicationBreakers {
  readonly #members: PerApplication<Member>;
  /** Scope → its latest opening. */
  readonly #openings = new Map<string, Opening>();
  #faults = 0;

  /** `now` is a monotonic clock in milliseconds; `moved` is called after each change, with the scope it concerns. */
  constructor(
    private readonly settings: BreakerSettings,
    private readonly now: () => number,
    private readonly moved: (scope: string, state: BreakerState, reason: BreakerReason) => void,
  ) {
    this.#members = new PerApplication((caller) => ({
      caller,
      breaker: new Breaker(settings, now, (state, reason) => moved(caller.applicationId, state, reason)),
      usedAtMs: 0,
      faultAtMs: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Returns a permit for one call, which must be passed to `settle` exactly once, or undefined to reject the call. */
  admit(caller: Caller): Permit | undefined {
    const member = this.#members.of(caller);
    member.usedAtMs = this.now();
    if (this.#openings.size > 0) this.#follow(member);
    const era = member.breaker.admit();
    return era === undefined ? undefined : { member, era };
  }

  /** Records the result of a call; without `question`, it asked something that no other call did. */
  settle({ member, era }: Permit, health: Health, question?: number): void {
    if (!member.breaker.settle(era, health, question)) return;
    member.faultAtMs = this.now();
    this.#faults += 1;
    if (this.#faults % Math.ceil(this.#members.size / JUDGED_PER_FAULT) !== 0) return;
    for (const scope of [member.caller.accountId, EVERYONE]) this.#judge(scope);
  }

  /** Whether calls of this application are made as usual, by what is known without another call. */
  isClosedFor(caller: Caller): boolean {
    return this.#members.of(caller).breaker.state === 'closed';
  }

  /** Opens the breakers of `scope` for `ms` because another gateway did. */
  openFor(scope: string, ms: number): void {
    this.#keep(scope, ms, 'other_gateway');
  }

  /** Leaves out applications that stopped calling. */
  overview(): BreakerOverview {
    const since = this.now() - this.settings.windowMs - this.settings.openMs;
    const states = [...this.#members.all()]
      .filter(({ usedAtMs }) => usedAtMs > since)
      .map(({ breaker }) => breaker.state);
    const restricted = states.filter((state) => state !== 'closed');
    return {
      state: restricted.find((state) => state === 'open') ?? restricted[0] ?? 'closed',
      applications: restricted.length,
    };
  }

  /** Opens the member's breaker if an opening concerns it. Its own calls outweigh those of others. */
  #follow({ caller, breaker }: Member): void {
    for (const scope of [caller.applicationId, caller.accountId, EVERYONE]) {
      const opening = this.#openings.get(scope);
      const leftMs = (opening?.endsAtMs ?? 0) - this.now();
      if (!opening || leftMs <= 0 || (scope !== caller.applicationId && breaker.isServed())) continue;
      breaker.openFor(leftMs, opening.reason);
    }
  }

  #judge(scope: string): void {
    const last = this.#openings.get(scope);
    if (last && last.endsAtMs > this.now()) return;
    const fault = faultWithoutAny(this.#votes(scope, last?.atMs ?? Number.NEGATIVE_INFINITY), this.settings);
    if (!fault) return;
    this.#keep(scope, this.settings.openMs, 'others');
    this.moved(scope, 'open', fault);
  }

  #votes(scope: string, sinceMs: number): Vote[] {
    const votes = new Map<string, Vote>();
    for (const { caller, breaker, faultAtMs } of this.#members.all()) {
      if (scope !== EVERYONE && scope !== caller.accountId) continue;
      const { questions, failed, slow } = breaker.evidence.totals();
      if (questions === 0) continue;
      const voter = scope === EVERYONE ? caller.accountId : caller.applicationId;
      const vote = votes.get(voter) ?? { total: 0, failed: 0, slow: 0 };
      // Failures from before the last opening must not open it again with the help of a single voter.
      const isNew = faultAtMs > sinceMs ? 1 : 0;
      votes.set(voter, {
        total: vote.total + questions,
        failed: vote.failed + failed * isNew,
        slow: vote.slow + slow * isNew,
      });
    }
    return [...votes.values()];
  }

  #keep(scope: string, ms: number, reason: Opening['reason']): void {
    const atMs = this.now();
    for (const [old, { endsAtMs }] of this.#openings)
      if (endsAtMs + this.settings.windowMs < atMs) this.#openings.delete(old);
    this.#openings.set(scope, { atMs, endsAtMs: atMs + ms, reason });
  }
}

/**
 * Why the votes open a breaker even without any one of them; undefined if they don't. No voter counts for more than
 * `minCalls` questions, so that one that asks a lot has no more say than others.
 */
function faultWithoutAny(votes: readonly Vote[], settings: BreakerSettings): 'failures' | 'slow' | undefined {
  const { minCalls } = settings;
  const limited = votes.map(({ total, failed, slow }) => {
    const scale = Math.min(1, minCalls / total);
    return { total: total * scale, failed: failed * scale, slow: slow * scale };
  });
  const all = limited.reduce(plus, { total: 0, failed: 0, slow: 0 });
  const holds = limited.every(({ total, failed, slow }) => {
    const rest = plus(all, { total: -total, failed: -failed, slow: -slow });
    return rest.total >= minCalls - 1e-6 && faultOf(settings, rest) !== undefined;
  });
  return holds ? faultOf(settings, all) : undefined;
}

function plus(one: Vote, other: Vote): Vote {
  return { total: one.total + other.total, failed: one.failed + other.failed, slow: one.slow + other.slow };
}
