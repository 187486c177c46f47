import type { SupplierOffer } from '../model/offers.js';
import type { BookingTraits, SupplierError } from '../model/supplier.js';
import type { Problem } from '../status/api-error.js';
import type { SupplierRef } from '../suppliers/outcome.js';
import type { Choice } from './price-change.js';
import { refusalProblem } from './refusal.js';

/** Problems for kinds of choices that the supplier never supports; `traits` undefined = not known before the call. */
export function unsupportedChoices(
  choice: Choice,
  traits: BookingTraits | undefined,
  supplier: SupplierRef,
): Problem[] {
  const problems: Problem[] = [];
  if (traits?.takesExtras === false && choice.extras.length > 0)
    problems.push(refusalProblem('unsupported_by_supplier', supplier, 'extras'));
  if (traits?.takesCoverages === false && choice.coverages.length > 0)
    problems.push(refusalProblem('unsupported_by_supplier', supplier, 'coverages'));
  return problems;
}

/** One problem per choice that the priced offer does not list, or not in that quantity, in the order of the choices. */
export function unlistedChoices({ extras, coverages }: Choice, offer: SupplierOffer): Problem[] {
  return [
    ...extras.flatMap(({ code, quantity }, index): Problem[] => {
      const listed = offer.extras.find((extra) => extra.code === code);
      const field = `extras.${index}`;
      if (!listed) return [unlisted(`${field}.extra_id`, code, 'extra', offer.extras)];
      if (quantity <= listed.maxQuantity) return [];
      const details = `"${field}.quantity" must be at most ${listed.maxQuantity} for ${listed.name}.`;
      return [{ reason: 'invalid_range', field: `${field}.quantity`, details }];
    }),
    ...coverages.flatMap((code, index) =>
      offer.coverages.some((coverage) => coverage.code === code)
        ? []
        : [unlisted(`coverages.${index}`, code, 'coverage', offer.coverages)],
    ),
  ];
}

/**
 * Whether choices may be the reason of a supplier's refusal: suppliers often refuse an unavailable extra without a clear one. In
 * that case, it is worth asking which ones they have.
 */
export function mayBeCausedByChoices({ fault, refusal }: SupplierError, { extras, coverages }: Choice): boolean {
  if (extras.length + coverages.length === 0) return false;
  return fault === 'rejected' && (refusal === undefined || refusal === 'extra_not_available');
}

function unlisted(field: string, code: string, kind: string, valid: readonly { readonly code: string }[]): Problem {
  const codes = valid.map((row) => row.code).join(', ');
  const choice = codes === '' ? `The offer has no ${kind}s. Leave it out.` : `Allowed values: ${codes}.`;
  return {
    reason: 'invalid_range',
    field,
    details: `"${code.slice(0, 40)}" is not ${kind === 'extra' ? 'an extra' : 'a coverage'} of this offer. ${choice}`,
  };
}
