import { listCode, rowOf } from './table.js';

/** A code of a list: our type and an English name for entries without text. */
export interface CodeEntry {
  readonly type: string;
  readonly label: string;
}

/** OTA list EQP (2024-09), the common extras; the rest is `other`. */
const EQUIPMENT: Readonly<Record<string, CodeEntry>> = {
  1: { type: 'mobile_phone', label: 'Mobile phone' },
  2: { type: 'bike_rack', label: 'Bike rack' },
  3: { type: 'luggage_rack', label: 'Luggage rack' },
  4: { type: 'ski_rack', label: 'Ski rack' },
  5: { type: 'trailer_hitch', label: 'Trailer hitch' },
  7: { type: 'infant_seat', label: 'Infant seat' },
  8: { type: 'toddler_seat', label: 'Toddler seat' },
  9: { type: 'booster_seat', label: 'Booster seat' },
  10: { type: 'snow_chains', label: 'Snow chains' },
  11: { type: 'hand_control', label: 'Hand control, right' },
  12: { type: 'hand_control', label: 'Hand control, left' },
  13: { type: 'navigation', label: 'Navigation system' },
  14: { type: 'winter_tires', label: 'Snow tires' },
  15: { type: 'stroller', label: 'Baby stroller' },
  18: { type: 'spinner_knob', label: 'Spinner knob' },
  27: { type: 'satellite_radio', label: 'Satellite radio' },
  28: { type: 'wheelchair_access', label: 'Wheelchair accessible van' },
  30: { type: 'winter_package', label: 'Winter package' },
  34: { type: 'navigation', label: 'Navigation phone' },
  45: { type: 'roof_box', label: 'Roof box' },
  46: { type: 'navigation', label: 'Hand-held navigation system' },
  47: { type: 'snowboard_rack', label: 'Snowboard rack' },
  48: { type: 'ski_box', label: 'Ski box' },
  49: { type: 'surf_rack', label: 'Surf rack' },
  52: { type: 'toll_tag', label: 'Toll tag' },
  55: { type: 'wifi', label: 'WiFi' },
  57: { type: 'booster_seat', label: 'Booster cushion' },
  59: { type: 'carbon_offset', label: 'Carbon offset' },
  61: { type: 'tablet', label: 'Travel tablet' },
  63: { type: 'unlimited_distance', label: 'Unlimited mileage' },
  65: { type: 'express_pickup', label: 'Express pickup' },
  66: { type: 'prepaid_cleaning', label: 'Prepaid cleaning' },
  67: { type: 'additional_driver', label: 'Additional driver' },
  68: { type: 'snow_socks', label: 'Snow socks' },
};

/** OTA list VCT (2024-09), the common coverages; the rest is `other`. */
const COVERAGES: Readonly<Record<string, CodeEntry>> = {
  1: { type: 'supplemental_liability', label: 'Additional liability insurance' },
  5: { type: 'full_protection', label: 'Complete cover package' },
  6: { type: 'collision_damage_waiver', label: 'Collision damage insurance' },
  7: { type: 'collision_damage_waiver', label: 'Collision damage waiver' },
  8: { type: 'collision_damage_waiver', label: 'Collision damage waiver plus' },
  9: { type: 'collision_damage_waiver', label: 'Collision damage waiver, reduced liability' },
  11: { type: 'loss_damage_waiver', label: 'Collision and loss damage waiver' },
  13: { type: 'excess_reduction', label: 'Damage excess reduction' },
  16: { type: 'full_protection', label: 'Full coverage' },
  17: { type: 'tire_and_windshield', label: 'Glass and tire waiver' },
  23: { type: 'loss_damage_waiver', label: 'Loss damage insurance' },
  24: { type: 'loss_damage_waiver', label: 'Loss damage waiver' },
  26: { type: 'loss_damage_waiver', label: 'Loss damage waiver, reduced liability' },
  27: { type: 'supplemental_liability', label: 'Liability insurance supplement' },
  32: { type: 'personal_accident', label: 'Personal accident insurance' },
  33: { type: 'personal_accident', label: 'Personal accident coverage' },
  34: { type: 'personal_accident_and_effects', label: 'Personal accident and effects coverage' },
  35: { type: 'personal_effects', label: 'Personal effects protection' },
  36: { type: 'personal_effects', label: 'Personal effects coverage' },
  38: { type: 'personal_effects', label: 'Personal property insurance' },
  40: { type: 'super_collision_damage_waiver', label: 'Super collision damage waiver' },
  42: { type: 'supplemental_liability', label: 'Supplemental liability insurance' },
  45: { type: 'super_theft_protection', label: 'Super theft protection' },
  46: { type: 'theft_protection', label: 'Theft protection waiver' },
  47: { type: 'theft_protection', label: 'Theft insurance' },
  48: { type: 'theft_protection', label: 'Theft protection' },
  49: { type: 'third_party_liability', label: 'Third party coverage' },
  50: { type: 'third_party_liability', label: 'Third party insurance' },
  56: { type: 'excess_reduction', label: 'Maximum cover' },
  57: { type: 'excess_reduction', label: 'Accident excess reduction plus' },
  58: { type: 'excess_reduction', label: 'Accident excess reduction' },
  59: { type: 'full_protection', label: 'Super cover' },
  60: { type: 'zero_excess', label: 'Zero deductible' },
  61: { type: 'protection_package', label: 'Protection package' },
  63: { type: 'third_party_liability', label: 'Third party liability' },
  64: { type: 'tire_and_windshield', label: 'Tire and windshield insurance' },
  65: { type: 'roadside_assistance', label: 'Roadside service plan' },
  72: { type: 'loss_damage_waiver', label: 'Loss damage waiver plus' },
  74: { type: 'collision_damage_waiver', label: 'Total collision damage waiver' },
};

/** Type and name of an equipment code (EQP); `other` for an unknown or missing code. */
export function equipmentOf(code: string | undefined): CodeEntry {
  return rowOf(EQUIPMENT, listCode('EQP', code)) ?? { type: 'other', label: 'Equipment' };
}

/** Type and name of a coverage code (VCT); `other` for an unknown or missing code. */
export function coverageOf(code: string | undefined): CodeEntry {
  return rowOf(COVERAGES, listCode('VCT', code)) ?? { type: 'other', label: 'Coverage' };
}
