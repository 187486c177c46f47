import { ApiError, type Problem, type SupplierCause } from '../status/api-error.js';
import type { SupplierOutcome, SupplierRef } from './outcome.js';

/** What a fan-out comes to: full (200) or partial (206, or 200 on POST) with the entries of what is missing. */
export interface Merged {
  readonly partial: boolean;
  /** One for each supplier (or brand) that gave nothing, in supplier order. */
  readonly problems: readonly Problem[];
}

const WHY: Readonly<Record<SupplierCause, string>> = {
  timeout: 'did not answer in time',
  unavailable: 'could not be reached or answered with an error',
  throttled: 'is limiting calls at the moment',
  rejected: 'refused the request',
  bad_payload: 'answered with something that cannot be read',
  circuit_open: 'is not asked at the moment after many failures',
};

/**
 * Rulings 1 and 5, pure: all answered → full; all empty → throws 404 no_results; all failed → throws 500 with one supplier_failure
 * each; everything else → partial, also when no supplier gave data but one failed. `outcomes` holds at least one, in supplier order.
 */
export function merge(outcomes: readonly SupplierOutcome<unknown>[]): Merged {
  if (outcomes.every((outcome) => outcome.kind === 'empty'))
    throw ApiError.of(
      'no_results',
      'The request succeeded, but no supplier has results for it. Change the place, the dates or the filters.',
    );
  const problems = outcomes.flatMap(problemsOf);
  const [first, ...rest] = problems;
  if (first && outcomes.every((outcome) => outcome.kind === 'failed')) throw new ApiError([first, ...rest]);
  return { partial: problems.length > 0, problems };
}

/** The entries of one supplier: none when it answered whole. Texts are ours; what the supplier said stays in the logs. */
export function problemsOf(outcome: SupplierOutcome<unknown>): Problem[] {
  const { id, name } = outcome.supplier;
  if (outcome.kind === 'empty') {
    const details =
      outcome.filtered === undefined
        ? `${name} has no results for the input.`
        : `${name} has ${outcome.filtered} offers, but none passes the filters.`;
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

/** The entry of one supplier that failed. */
export function failureProblem({ id, name }: SupplierRef, cause: SupplierCause): Problem {
  return {
    reason: 'supplier_failure',
    supplier: id,
    cause,
    details: `${name} failed to fulfill the request: it ${WHY[cause]}.`,
  };
}
