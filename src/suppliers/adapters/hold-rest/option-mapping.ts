import type { Coverage, Extra } from '../../models.js';
import { parseMoney } from '../../money.js';
import type { ExtraWire, ProtectionWire } from './wire.js';

/** The supplier's codes of extras in our words; the rest is `other`. */
const EXTRA_TYPES: ReadonlyMap<string, string> = new Map([
  ['INFANT_SEAT', 'infant_seat'],
  ['CHILD_SEAT', 'toddler_seat'],
  ['BOOSTER_SEAT', 'booster_seat'],
  ['GPS', 'navigation'],
  ['EXTRA_DRIVER', 'additional_driver'],
  ['WIFI', 'wifi'],
  ['SNOW_CHAINS', 'snow_chains'],
  ['SKI_RACK', 'ski_rack'],
]);

/** The supplier's codes of protections in our words; the rest is `other`. */
const COVERAGE_TYPES: ReadonlyMap<string, string> = new Map([
  ['CDW', 'collision_damage_waiver'],
  ['SCDW', 'super_collision_damage_waiver'],
  ['LDW', 'loss_damage_waiver'],
  ['TP', 'theft_protection'],
  ['TPL', 'third_party_liability'],
  ['SLI', 'supplemental_liability'],
  ['PAI', 'personal_accident'],
  ['PEC', 'personal_effects'],
]);

/** Extras of an answer, in the supplier's order; none of them is mandatory in this dialect. Each code once. */
export function mapExtras(wire: readonly ExtraWire[], currency: string): readonly Extra[] {
  return eachOnce(wire).map((row) => ({
    code: row.code,
    type: EXTRA_TYPES.get(row.code) ?? 'other',
    name: row.name,
    pricePerDay: parseMoney(row.perDay, currency),
    priceTotal: parseMoney(row.total, currency),
    maxQuantity: row.maxQuantity ?? 1,
    mandatory: false,
  }));
}

/** Protections of a vehicle, in the supplier's order; none of them must be bought in this dialect. Each code once. */
export function mapCoverages(wire: readonly ProtectionWire[], currency: string): readonly Coverage[] {
  return eachOnce(wire).map((row) => ({
    code: row.code,
    type: COVERAGE_TYPES.get(row.code) ?? 'other',
    name: row.name,
    included: row.included,
    mandatory: false,
    pricePerDay: parseMoney(row.perDay, currency),
    priceTotal: parseMoney(row.total, currency),
    excess: parseMoney(row.excess, currency),
  }));
}

function eachOnce<T extends { readonly code: string }>(wire: readonly T[]): readonly T[] {
  const seen = new Set<string>();
  return wire.filter(({ code }) => seen.size !== seen.add(code).size);
}
