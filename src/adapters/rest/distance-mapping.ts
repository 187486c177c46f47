import type { DistancePolicy } from '../../model/offers.js';
import type { OfferMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

const UNLIMITED: readonly DistancePolicy[] = [{ unlimited: true }];

/** Empty if the supplier doesn't state the distance, or not clearly. */
export function mapDistance(
  mapping: OfferMapping['distance'],
  currency: string,
  reader: AnswerReader,
  row: unknown,
): readonly DistancePolicy[] {
  if (!mapping) return [];
  const unlimited = reader.flag(mapping.unlimited, row);
  if (unlimited) return UNLIMITED;
  // A distance beside it may be that of another rate, or none.
  if (unlimited === undefined && reader.isStated(mapping.unlimited, row)) return [];
  const included = includedOf(mapping, reader, row);
  if (!included && unlimited === undefined) return [];
  const own = reader.ownCurrency(mapping.currency, row, currency);
  return [{ unlimited: false, ...included, overage: reader.optionalMoney(mapping.overage, row, own) }];
}

/** Undefined if there is none, or, with a warning, if its number, unit or period can't be read. */
function includedOf(
  mapping: NonNullable<OfferMapping['distance']>,
  reader: AnswerReader,
  row: unknown,
): Pick<DistancePolicy, 'included' | 'per'> | undefined {
  if (!reader.isStated(mapping.included, row)) return undefined;
  const value = reader.quantity(mapping.included, row);
  const unit = reader.word('distanceUnit', mapping.unit, row);
  const per = reader.isStated(mapping.per, row) ? reader.word('distancePer', mapping.per, row) : 'rental';
  if (value !== undefined && unit !== undefined && per !== undefined) return { included: { value, unit }, per };
  reader.warnings.add('incomplete', 'distance: the included distance is unreadable');
  return undefined;
}
