/** This supplier's codes of extras by OTA EquipType; it does not rent others. */
export const EXTRA_CODES: Readonly<Record<number, string>> = {
  4: 'SKI_RACK',
  7: 'INFANT_SEAT',
  8: 'CHILD_SEAT',
  9: 'BOOSTER_SEAT',
  10: 'SNOW_CHAINS',
  13: 'GPS',
  55: 'WIFI',
  67: 'EXTRA_DRIVER',
};

/** This supplier's codes of protections by OTA CoverageType; it does not sell others. */
export const PROTECTION_CODES: Readonly<Record<number, string>> = {
  7: 'CDW',
  24: 'LDW',
  27: 'SLI',
  32: 'PAI',
  35: 'PEC',
  40: 'SCDW',
  48: 'TP',
  49: 'TPL',
};

/** Codes of charges by OTA purpose number. */
export const CHARGE_CODES: Readonly<Record<number, string>> = {
  2: 'ONE_WAY',
  7: 'TAX',
  13: 'YOUNG_DRIVER',
  30: 'AIRPORT',
  33: 'LICENCE',
  34: 'WINTER',
  38: 'TOLLS',
  71: 'FACILITY',
};
