import type { DurationCount, MeasurePoint, TimelinePoint } from '../../records/supplier-timeline.js';
import type { Who } from './failure-words.js';

/** What is known about all suppliers; instants are epoch milliseconds. */
export interface Evidence {
  readonly now: number;
  /** The last 24 hours; the last 30 minutes by minute. */
  readonly durations: readonly DurationCount[];
  readonly measures: readonly MeasurePoint[];
  /** The last three hours by minute, and the 24 hours before in steps of ten minutes. */
  readonly points: readonly TimelinePoint[];
  /** When our settings of a supplier were last changed, by supplier; without those that weren't. */
  readonly changedAt?: ReadonlyMap<string, number>;
}

/** Why something is our fault although the supplier seems to do it: all have it, our event loops lag, or our file of the supplier was changed then. */
export type Reason = 'everywhere' | 'lag' | 'file';

/** Something unusual about one operation of a supplier. */
export interface Finding {
  readonly supplier: string;
  readonly operation: string;
  /** Key of KIND_WORDS. */
  readonly kind: string;
  readonly who: Who;
  readonly reason?: Reason;
  /** Share of the calls that were sent, 0 to 1; 1 for what concerns all. */
  readonly share: number;
  /** Calls that this is judged by. */
  readonly calls: number;
  /** When it began, epoch milliseconds; undefined = longer ago than is known. */
  readonly since: number | undefined;
  /** The first step that `share` and `calls` count: without the minute in which it began, if the others have enough calls. Undefined = since. */
  readonly countedFrom?: number | undefined;
  /** For slow: median now and before in milliseconds; for price: the factor; undefined otherwise. */
  readonly figures?: readonly number[];
  /** Whether calls aren't sent at the moment because of it. */
  readonly isBlocked: boolean;
}
