import type { SupplierOffer } from '../model/offers.js';
import type { BookingTraits } from '../model/supplier.js';
import type { Problem } from '../status/api-error.js';
import type { SupplierRef } from '../suppliers/outcome.js';
import type { Choice } from './price-change.js';
import { refusalProblem } from './refusal.js';

/** Kinds of choice that the supplier never takes; `traits` undefined = not known before it is asked. */
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

/** One entry for each choice that the offer as priced does not have, or not so often, in the order of the choice. */
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

function unlisted(field: string, code: string, kind: string, valid: readonly { readonly code: string }[]): Problem {
  const codes = valid.map((row) => row.code).join(', ');
  const choice = codes === '' ? `The offer has no ${kind} to choose.` : `Valid here: ${codes}.`;
  return { reason: 'invalid_range', field, details: `"${code.slice(0, 40)}" is no ${kind} of this offer. ${choice}` };
}
