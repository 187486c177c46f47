import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { accountVotes, type Ballot, type Votes } from '../metrics/account-votes.js';
import { BURN_PAIRS, burnLimit } from '../metrics/burn-limits.js';
import { loopLag } from '../metrics/loop-lag.js';
import { returnToShadow } from '../supplier-states/supplier-return.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import type { SupplierReturn } from './alert-words.js';
import type { BurnAlert } from './burn-alerts.js';
import { addBallots, against, type Verdict } from './return-rules.js';

const MINUTE_MS = 60_000;
/** Votes about calls and prices count for so long. */
const CALLS_MS = 5 * MINUTE_MS;
const PRICES_MS = 60 * MINUTE_MS;
/** From this mean delay of the event loop on, what failed may be our fault (docs/operations-console.md). */
const LAG_MS = 40;

interface Watched {
  readonly state: 'canary' | 'live';
  /** Oldest first, one entry per turn. */
  readonly turns: { readonly atMs: number; readonly votes: Votes }[];
}

/**
 * Returns suppliers in canary, and live ones whose file allows it, to shadow: while their error budget burns fast, or when price
 * checks change too many prices. Judges what this process counted since the supplier got its state, without what happened while
 * the process itself was slow (docs/decisions/0057). Only an operator brings a supplier back.
 */
@Injectable()
export class AutomaticReturn {
  readonly #watched = new Map<string, Watched>();
  #lag = loopLag.counted;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    private readonly registry: SupplierRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Judges once; call it every few seconds with a monotonic clock in milliseconds. Never rejects. */
  async turn(firing: readonly BurnAlert[], nowMs: number, lag = loopLag.counted): Promise<readonly SupplierReturn[]> {
    const votes = accountVotes.take();
    this.#watch();
    const meanLagMs = (lag.totalMs - this.#lag.totalMs) / Math.max(1, lag.samples - this.#lag.samples);
    this.#lag = lag;
    const returned: SupplierReturn[] = [];
    for (const [id, { turns }] of this.#watched) {
      const own = votes.get(id);
      if (own && meanLagMs <= LAG_MS) turns.push({ atMs: nowMs, votes: own });
      while ((turns[0]?.atMs ?? nowMs) < nowMs - PRICES_MS) turns.shift();
      const found = this.#judge(id, firing, nowMs);
      if (found && (await this.#return(id, found))) returned.push(found);
    }
    return returned;
  }

  /** Votes from before a supplier got its state don't count. */
  #watch(): void {
    const seen = new Set<string>();
    for (const { id, config } of this.registry.suppliers) {
      const state = this.registry.stateOf(id);
      if (state !== 'canary' && !(state === 'live' && config.slo.autoReturn)) continue;
      seen.add(id);
      if (this.#watched.get(id)?.state !== state) this.#watched.set(id, { state, turns: [] });
    }
    for (const id of this.#watched.keys()) if (!seen.has(id)) this.#watched.delete(id);
    accountVotes.watch([...seen]);
  }

  #judge(id: string, firing: readonly BurnAlert[], nowMs: number): SupplierReturn | undefined {
    const config = this.registry.byId(id)?.config;
    if (!config) return undefined;
    const { priceDrift: drift, availability: target, windowDays } = config.slo;
    const minimum = this.config.slo.minimumFailures;
    const isBurning = firing.some(
      ({ objective, pair }) =>
        objective.slo === 'supplier_availability' && objective.supplier === id && pair.name === 'fast',
    );
    const [fast] = BURN_PAIRS;
    if (isBurning && fast) {
      const share = burnLimit({ target, windowDays }, fast);
      const calls = against(this.#sum(id, 'calls', nowMs - CALLS_MS), { share, bad: minimum, votes: minimum });
      if (calls) return returnOf(config, calls, { what: 'calls failed in the last 5 minutes', share });
    }
    const bounds = { share: drift.share, bad: 1, votes: drift.minChecks };
    const prices = against(this.#sum(id, 'prices', nowMs - PRICES_MS), bounds);
    const what = 'price checks changed the price in the last hour';
    return prices && returnOf(config, prices, { what, share: drift.share });
  }

  #sum(id: string, kind: keyof Votes, sinceMs: number): Map<string, Ballot> {
    const sums = new Map<string, Ballot>();
    for (const { atMs, votes } of this.#watched.get(id)?.turns ?? [])
      if (atMs >= sinceMs) addBallots(sums, votes[kind]);
    return sums;
  }

  /** False if nothing was changed, or nothing could be. */
  async #return(id: string, { why, figures }: SupplierReturn): Promise<boolean> {
    const from = this.#watched.get(id)?.state ?? 'canary';
    const live = this.registry.configured.filter(
      (other) => other.id !== id && this.registry.stateOf(other.id) === 'live',
    );
    const others = live.map((other) => ({ id: other.id, configured: other.state }));
    const configured = this.registry.byId(id)?.config.state ?? 'off';
    const wanted = { supplierId: id, from, configured, others, reason: why, figures };
    try {
      const isReturned = await returnToShadow(this.database, this.config.environment, wanted);
      if (isReturned) this.logger.error({ supplier: id, from, why, ...figures }, 'a supplier was returned to shadow');
      return isReturned;
    } catch (error) {
      this.logger.warn({ err: error, supplier: id }, 'a supplier could not be returned to shadow');
      return false;
    }
  }
}

function returnOf(
  { id }: SupplierConfig,
  { bad, votes, accounts }: Verdict,
  { what, share }: { readonly what: string; readonly share: number },
): SupplierReturn {
  const why = `${bad} of ${votes} ${what} (${percent(bad / votes)} %; at most ${percent(share)} % are accepted), for ${accounts} accounts`;
  const figures = { bad, votes, accounts, share };
  return { key: `return ${id}`, supplier: id, why, figures, startedAt: Date.now(), endedAt: undefined };
}

function percent(share: number): string {
  return (share * 100).toFixed(1);
}
