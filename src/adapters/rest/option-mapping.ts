import type { Coverage, Extra } from '../../model/offers.js';
import type { OfferMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

/**
 * Extras of an offer in the supplier's order, without duplicate codes. Offers that refer to the same list share the
 * result.
 */
export function mapExtras(
  mapping: OfferMapping['extras'],
  currency: string,
  reader: AnswerReader,
  row: unknown,
): readonly Extra[] {
  if (!mapping) return [];
  const read = (extra: unknown): Extra | undefined => {
    const code = reader.text(mapping.code, extra);
    const name = reader.title(mapping.name, extra);
    if (code === undefined || name === undefined) return leftOut('extras', reader);
    const own = reader.ownCurrency(mapping.currency, extra, currency);
    return {
      code,
      type: reader.openWord('extra', mapping.type, extra) ?? 'other',
      name,
      pricePerDay: reader.optionalMoney(mapping.perDay, extra, own),
      priceTotal: reader.optionalMoney(mapping.total, extra, own),
      maxQuantity: reader.count(mapping.maxQuantity, extra) || 1,
      mandatory: false,
    };
  };
  return reader.sharedRows({ rows: mapping.rows, mark: mapping.code }, row, `extras ${currency}`, (rows) =>
    eachOnce(rows, read),
  );
}

/**
 * Coverages of an offer in the supplier's order, without duplicate codes. A coverage is left out if the supplier
 * doesn't say whether it is included.
 */
export function mapCoverages(
  mapping: OfferMapping['coverages'],
  currency: string,
  reader: AnswerReader,
  row: unknown,
): readonly Coverage[] {
  if (!mapping) return [];
  const read = (coverage: unknown): Coverage | undefined => {
    const code = reader.text(mapping.code, coverage);
    const name = reader.title(mapping.name, coverage);
    if (code === undefined || name === undefined) return leftOut('coverages', reader);
    const included = reader.flag(mapping.included, coverage);
    if (included === undefined) return undefined;
    const own = reader.ownCurrency(mapping.currency, coverage, currency);
    const ofExcess = reader.ownCurrency(mapping.excessCurrency, coverage, currency);
    return {
      code,
      type: reader.openWord('coverage', mapping.type, coverage) ?? 'other',
      name,
      included,
      mandatory: false,
      pricePerDay: reader.optionalMoney(mapping.perDay, coverage, own),
      priceTotal: reader.optionalMoney(mapping.total, coverage, own),
      excess: reader.optionalMoney(mapping.excess, coverage, ofExcess),
    };
  };
  return reader.sharedRows({ rows: mapping.rows, mark: mapping.code }, row, `coverages ${currency}`, (rows) =>
    eachOnce(rows, read),
  );
}

function leftOut(list: string, { warnings }: AnswerReader): undefined {
  warnings.add('row_dropped', `${list}: a row without code or name left out`);
}

function eachOnce<T extends { readonly code: string }>(
  rows: readonly unknown[],
  read: (row: unknown) => T | undefined,
): readonly T[] {
  const byCode = new Map<string, T>();
  for (const row of rows) {
    const item = read(row);
    if (item && !byCode.has(item.code)) byCode.set(item.code, item);
  }
  return [...byCode.values()];
}
