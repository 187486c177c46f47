import { ApiError, type Problem, type SupplierCause } from '../status/api-error.js';
import type { SupplierOutcome, SupplierRef } from './outcome.js';

/** The result of a fan-out: complete (200) or partial (206, or 200 on POST). */
export interface Merged {
  readonly partial: boolean;
  /** One per supplier or brand without results, in supplier order. */
  readonly problems: readonly Problem[];
}

const WHY: Readonly<Record<SupplierCause, string>> = {
  timeout: 'did not answer in time',
  unavailable: 'could not be reached or answered with an error',
  throttled: 'is currently rate limiting the gateway',
  rejected: 'rejected the request',
  bad_payload: 'sent an invalid response',
  circuit_open: 'is temporarily not called because it failed repeatedly',
};

/**
 * Implements rulings 1 and 5. All suppliers answered: complete. All empty: throws 404 no_results. All failed: throws
 * 500 with one supplier_failure each. Anything else is partial, even if no supplier has data but one failed. `outcomes`
 * is in supplier order and not empty.
 */
export function merge(outcomes: readonly SupplierOutcome<unknown>[]): Merged {
  if (outcomes.every((outcome) => outcome.kind === 'empty')) throw noResults(unconvertedIn(outcomes));
  const problems = outcomes.flatMap(problemsOf);
  const [first, ...rest] = problems;
  if (first && outcomes.every((outcome) => outcome.kind === 'failed')) throw new ApiError([first, ...rest]);
  return { partial: problems.length > 0, problems };
}

/** The 404 for a request that no supplier has results for; `unconverted` offers have no price in the requested currency. */
export function noResults(unconverted = 0): ApiError {
  const details =
    'The request succeeded, but no supplier has results for it. Try another place, other dates or fewer filters.';
  return ApiError.of('no_results', `${details}${withoutRate(unconverted)}`);
}

function unconvertedIn(outcomes: readonly SupplierOutcome<unknown>[]): number {
  return outcomes.reduce((sum, outcome) => sum + (outcome.unconverted ?? 0), 0);
}

/** Says that filters on the price could not be applied; empty if they could. */
function withoutRate(unconverted: number): string {
  if (unconverted === 0) return '';
  return ` No exchange rate into the requested currency is known for the prices of ${unconverted} offers.`;
}

/**
 * The entries of one supplier; none if it answered completely. They never quote the supplier, whose own messages stay
 * in the logs.
 */
export function problemsOf(outcome: SupplierOutcome<unknown>): Problem[] {
  const { id, name } = outcome.supplier;
  if (outcome.kind === 'empty') {
    const details =
      outcome.filtered === undefined
        ? `${name} has no results for this request.`
        : `${name} has ${outcome.filtered} offers, but none matches the filters.${withoutRate(outcome.unconverted ?? 0)}`;
    return [{ reason: 'no_supplier_results', supplier: id, details }];
  }
  if (outcome.kind === 'failed') {
    return [failureProblem(outcome.supplier, outcome.cause ?? 'unavailable')];
  }
  return outcome.failedBrands.map(({ brand, cause }) => ({
    reason: 'supplier_failure',
    supplier: id,
    brand,
    cause,
    details: `${name} failed to fulfill the request for ${brand}: it ${WHY[cause]}.`,
  }));
}

/** The entry of a supplier that failed. */
export function failureProblem({ id, name }: SupplierRef, cause: SupplierCause): Problem {
  return {
    reason: 'supplier_failure',
    supplier: id,
    cause,
    details: `${name} failed to fulfill the request: it ${WHY[cause]}.`,
  };
}
