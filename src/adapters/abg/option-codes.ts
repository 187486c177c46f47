/** Common extras by product_code; ABG sells about 150 more, which become `other`. */
const EXTRA_TYPES: Readonly<Record<string, string>> = {
  ADD: 'additional_driver',
  ADR: 'additional_driver',
  BKR: 'bike_rack',
  CBS: 'booster_seat',
  CIS: 'infant_seat',
  CSS: 'toddler_seat',
  GPS: 'navigation',
  LGR: 'luggage_rack',
  RSN: 'roadside_assistance',
  SAT: 'satellite_radio',
  SKR: 'ski_rack',
  SNC: 'snow_chains',
  TAB: 'tablet',
  WFI: 'wifi',
  XMR: 'satellite_radio',
};

/** Every insurance_code of the contract: our type and the name for a row without one. */
const COVERAGES: Readonly<Record<string, { readonly type: string; readonly name: string }>> = {
  ALI: { type: 'supplemental_liability', name: 'Additional Liability Insurance' },
  CDW: { type: 'collision_damage_waiver', name: 'Collision Damage Waiver' },
  LDW: { type: 'loss_damage_waiver', name: 'Loss Damage Waiver' },
  LI: { type: 'third_party_liability', name: 'Liability Insurance' },
  PAI: { type: 'personal_accident', name: 'Personal Accident Insurance' },
  PEP: { type: 'personal_effects', name: 'Personal Effects Protection' },
  PKG: { type: 'protection_package', name: 'Package Protection' },
  SCDW: { type: 'super_collision_damage_waiver', name: 'Super Collision Damage Waiver' },
  SPAI: { type: 'super_personal_accident', name: 'Super Personal Accident Insurance' },
  STP: { type: 'super_theft_protection', name: 'Super Theft Protection' },
  TP: { type: 'theft_protection', name: 'Theft Protection' },
};

/** Extras that a renter may take up to three of; the maximum of all others is one (contract, extras.quantity). */
const UP_TO_THREE = new Set(['ADD', 'ADR', 'ATP', 'CBS', 'CIS', 'CSS', 'GPS', 'RSN', 'SAT', 'TAB', 'WFI', 'XMR']);

/** Lower snake case; `other` for a code outside the table. */
export function extraType(code: string): string {
  return (Object.hasOwn(EXTRA_TYPES, code) ? EXTRA_TYPES[code] : undefined) ?? 'other';
}

/** The maximum quantity of an extra per rental, by the contract. */
export function mostOf(code: string): number {
  return UP_TO_THREE.has(code) ? 3 : 1;
}

/** Type and name of a coverage; `other` and the code itself for one outside the contract. */
export function coverageOf(code: string): { readonly type: string; readonly name: string } {
  return (Object.hasOwn(COVERAGES, code) ? COVERAGES[code] : undefined) ?? { type: 'other', name: code };
}
