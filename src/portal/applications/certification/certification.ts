import { BEHAVIORS, type Behavior } from './behaviors.js';
import { type Evidence, MOST_SHOWN } from './evidence.js';

export type Verdict = 'passed' | 'failed' | 'unseen';

/** One judged behavior. */
export interface Judged {
  readonly behavior: Behavior;
  readonly verdict: Verdict;
  /** Ids of the newest requests (or reservations) that show it, at most five; empty = not seen yet. */
  readonly shown: readonly string[];
}

/** A certification of an application. Times are epoch milliseconds. */
export interface Certification {
  /** In the order of BEHAVIORS. */
  readonly judged: readonly Judged[];
  /** Since when its traffic is judged. */
  readonly since: number;
  /** Requests that it is judged by, and those that it made since the first of them as far as they were counted. */
  readonly requests: number;
  readonly counted: number;
}

/** Judges every behavior. `isComplete`: no request is missing in the evidence. */
export function judge(evidence: Evidence, isComplete: boolean): readonly Judged[] {
  return BEHAVIORS.map((behavior) => {
    const { failed, passed } = behavior.judge(evidence);
    if (failed.length > 0 && (isComplete || !behavior.needsAll)) return judged(behavior, 'failed', failed);
    if (failed.length === 0 && passed.length > 0) return judged(behavior, 'passed', passed);
    return judged(behavior, 'unseen', []);
  });
}

/** How many behaviors have a verdict. */
export function total({ judged: all }: Pick<Certification, 'judged'>, verdict: Verdict): number {
  return all.filter((one) => one.verdict === verdict).length;
}

function judged(behavior: Behavior, verdict: Verdict, ids: readonly string[]): Judged {
  return { behavior, verdict, shown: [...new Set(ids)].slice(-MOST_SHOWN) };
}
