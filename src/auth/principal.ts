import type { LimitDecision } from '../store/limits.js';
import type { ApplicationPolicy } from '../store/store.js';

/** The caller, as found by the bearer guard in its store call. */
export interface Principal {
  readonly policy: ApplicationPolicy;
  readonly decision: LimitDecision;
}
