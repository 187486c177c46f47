import type { LimitDecision } from '../store/limits.js';
import type { ApplicationPolicy } from '../store/store.js';

/** Who calls: what the bearer guard found in its one store call. */
export interface Principal {
  readonly policy: ApplicationPolicy;
  readonly decision: LimitDecision;
}
