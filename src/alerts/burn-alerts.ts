import { BURN_PAIRS, type BurnPair, burnLimit } from '../metrics/burn-limits.js';
import type { CountedObjective } from '../metrics/slo-counts.js';
import { BurnWindows, type WindowCount } from './burn-windows.js';

/** A burn of the error budget of one objective, seen in one window pair. Instants are epoch milliseconds. */
export interface BurnAlert {
  /** Same for all alerts of an objective and pair. */
  readonly key: string;
  readonly objective: CountedObjective;
  readonly pair: BurnPair;
  readonly startedAt: number;
  /** Undefined = firing. */
  readonly endedAt: number | undefined;
  /** Whether it began because everything failed for a minute, before the long window was above its limit. */
  readonly isOutage: boolean;
  /** Events of the long window when it began or ended; those of the last minute when an outage began. */
  readonly seen: WindowCount;
}

/** Two clocks in milliseconds: one that never jumps, and the epoch. */
export interface AlertClock {
  monotonicMs(): number;
  epochMs(): number;
}

/** An alert ends when its condition was false for so long, so that it doesn't begin and end again and again. */
const CALM_MS = 300_000;
/** It goes on while the failures of the short window are above this share of the limit; in an outage, of all events. */
const STILL_BURNING = 0.5;
/**
 * Everything failed for so long: a fast burn, even if the hour before was good. With 30 seconds between snapshots and 10
 * between evaluations, it alerts within 120 seconds, whatever the target is.
 */
const OUTAGE_MS = 60_000;

interface Firing {
  readonly alert: BurnAlert;
  calmSince: number | undefined;
}

/** Decides which objectives burn. One per process: it judges what the process itself counted. */
export class BurnAlerts {
  readonly #windows: BurnWindows;
  readonly #startedMs: number;
  readonly #firing = new Map<string, Firing>();

  /** `minimumFailures`: failures in an hour below which nothing alerts. */
  constructor(
    private readonly minimumFailures: number,
    private readonly clock: AlertClock,
  ) {
    this.#startedMs = clock.monotonicMs();
    this.#windows = new BurnWindows(this.#startedMs);
  }

  /** Alerts that fire, oldest first. */
  get firing(): readonly BurnAlert[] {
    return [...this.#firing.values()].map(({ alert }) => alert);
  }

  /** Judges the objectives and returns the alerts that began or ended. Call it every few seconds. */
  judge(objectives: readonly CountedObjective[]): readonly BurnAlert[] {
    const nowMs = this.clock.monotonicMs();
    this.#windows.note(objectives, nowMs);
    const changed: BurnAlert[] = [];
    const judged = new Set<string>();
    for (const objective of objectives)
      for (const pair of BURN_PAIRS) {
        const key = `${objective.slo} ${objective.supplier} ${pair.name}`;
        judged.add(key);
        const change = this.#judgeOne(key, objective, pair, nowMs);
        if (change) changed.push(change);
      }
    for (const [key, { alert }] of this.#firing) if (!judged.has(key)) changed.push(this.#end(key, alert, alert.seen));
    return changed;
  }

  #judgeOne(key: string, objective: CountedObjective, pair: BurnPair, nowMs: number): BurnAlert | undefined {
    const seen = this.#windows.count(objective, pair.longMs, nowMs);
    const firing = this.#firing.get(key);
    const burns = this.#burns(objective, pair, seen, nowMs, firing !== undefined) || this.#isOut(firing, nowMs);
    if (!firing) {
      const outage = burns ? undefined : this.#outage(objective, pair, nowMs);
      if (!burns && !outage) return undefined;
      const isOutage = outage !== undefined;
      const [startedAt, endedAt] = [this.clock.epochMs(), undefined];
      const alert = { key, objective, pair, startedAt, endedAt, isOutage, seen: outage ?? seen };
      this.#firing.set(key, { alert, calmSince: undefined });
      return alert;
    }
    firing.calmSince = burns ? undefined : (firing.calmSince ?? nowMs);
    const isOver = firing.calmSince !== undefined && nowMs - firing.calmSince >= CALM_MS;
    return isOver ? this.#end(key, firing.alert, seen) : undefined;
  }

  #burns(objective: CountedObjective, pair: BurnPair, long: WindowCount, nowMs: number, isFiring: boolean): boolean {
    const limit = burnLimit(objective, pair);
    if (long.bad < this.minimumFailures * pair.failures || badShare(long) <= limit) return false;
    const short = badShare(this.#windows.count(objective, pair.shortMs, nowMs));
    return short > (isFiring ? limit * STILL_BURNING : limit);
  }

  /** The events of the last minute if all of them failed, and enough; undefined otherwise. */
  #outage(objective: CountedObjective, { name }: BurnPair, nowMs: number): WindowCount | undefined {
    if (name !== 'fast' || nowMs - this.#startedMs < OUTAGE_MS) return undefined;
    const seen = this.#windows.count(objective, OUTAGE_MS, nowMs);
    return seen.good === 0 && seen.bad >= this.minimumFailures ? seen : undefined;
  }

  /** Whether an outage goes on: most events of the short window fail. */
  #isOut(firing: Firing | undefined, nowMs: number): boolean {
    if (!firing?.alert.isOutage) return false;
    const { objective, pair } = firing.alert;
    return badShare(this.#windows.count(objective, pair.shortMs, nowMs)) > STILL_BURNING;
  }

  #end(key: string, alert: BurnAlert, seen: WindowCount): BurnAlert {
    this.#firing.delete(key);
    return { ...alert, endedAt: this.clock.epochMs(), seen };
  }
}

/** 0 if there were no events. */
function badShare({ good, bad }: WindowCount): number {
  return bad === 0 ? 0 : bad / (good + bad);
}
