import type { Counter, LocationType } from '../../model/locations.js';

/** OTA list SIZ: VehClass@Size. */
export const SIZE_NAMES: Readonly<Record<string, string>> = {
  1: 'Mini',
  2: 'Subcompact',
  3: 'Economy',
  4: 'Compact',
  5: 'Midsize',
  6: 'Intermediate',
  7: 'Standard',
  8: 'Fullsize',
  9: 'Luxury',
  10: 'Premium',
  11: 'Minivan',
  12: '12 passenger van',
  14: '15 passenger van',
  15: 'Cargo van',
  23: 'Unique',
  24: 'Exotic',
  27: 'Small SUV',
  28: 'Medium SUV',
  29: 'Large SUV',
  30: 'Exotic SUV',
  31: 'Four wheel drive',
  32: 'Special',
  33: 'Mini elite',
  34: 'Economy elite',
  35: 'Compact elite',
  36: 'Intermediate elite',
  37: 'Standard elite',
  38: 'Fullsize elite',
  39: 'Premium elite',
  40: 'Luxury elite',
  41: 'Oversize',
};

/** OTA list VEC: VehType@VehicleCategory. */
export const CATEGORY_NAMES: Readonly<Record<string, string>> = {
  1: 'car',
  2: 'van',
  3: 'SUV',
  4: 'convertible',
  5: 'truck',
  6: 'motorcycle',
  7: 'limousine',
  8: 'estate',
  9: 'pickup',
  10: 'motorhome',
  11: 'all-terrain',
  12: 'recreational vehicle',
  13: 'sports car',
  14: 'special',
  17: 'special offer',
  18: 'coupe',
  19: 'monospace',
  20: 'two-wheeler',
  21: 'roadster',
  22: 'crossover',
  23: 'commercial van',
};

/** OTA list RTC: RateQualifier@RateCategory. 11 and 12 are inclusive rates, 19 is prepaid. */
export const RATE_CATEGORIES: Readonly<Record<string, string>> = {
  1: 'government',
  2: 'business',
  3: 'leisure',
  4: 'employee',
  5: 'vip',
  6: 'all',
  7: 'association',
  8: 'business_standard',
  9: 'corporate',
  10: 'industry',
  11: 'fully_inclusive',
  12: 'inclusive',
  13: 'negotiated',
  14: 'promotional',
  15: 'credential',
  16: 'standard',
  17: 'consortium',
  18: 'convention',
  19: 'prepaid',
};

/** OTA list VLI: VehRentLocInfo@Type, as the kind of a term about a location. */
export const LOCATION_INFO_KINDS: Readonly<Record<string, string>> = {
  1: 'general',
  2: 'hours',
  3: 'after_hours_return',
  4: 'directions',
  5: 'commission',
  6: 'express',
  7: 'other',
  8: 'fuel',
  9: 'delivery',
  10: 'collection',
};

/** The position of a counter (list VWF): the kind of place and, if the code says so, how the renter reaches it. */
interface CounterPlace {
  readonly type: LocationType;
  readonly counter?: Counter;
}

/** OTA list VWF: CounterLocation@Location. */
export const COUNTER_PLACES: Readonly<Record<string, CounterPlace>> = {
  1: { type: 'airport', counter: 'in_terminal' },
  2: { type: 'airport', counter: 'shuttle_on_airport' },
  3: { type: 'airport', counter: 'shuttle_off_airport' },
  4: { type: 'rail' },
  5: { type: 'hotel' },
  6: { type: 'dealer' },
  7: { type: 'downtown' },
  8: { type: 'downtown' },
  9: { type: 'downtown' },
  10: { type: 'downtown' },
  11: { type: 'downtown' },
  12: { type: 'port' },
  13: { type: 'other' },
  14: { type: 'airport' },
  15: { type: 'airport', counter: 'in_terminal' },
  16: { type: 'airport', counter: 'shuttle_on_airport' },
  17: { type: 'airport', counter: 'in_terminal' },
  18: { type: 'airport', counter: 'in_terminal' },
  19: { type: 'airport', counter: 'in_terminal' },
  20: { type: 'airport', counter: 'shuttle_off_airport' },
  21: { type: 'airport', counter: 'shuttle_on_airport' },
  22: { type: 'airport', counter: 'shuttle_off_airport' },
  23: { type: 'airport', counter: 'shuttle_on_airport' },
  24: { type: 'airport', counter: 'shuttle_off_airport' },
  25: { type: 'other', counter: 'meet_and_greet' },
  26: { type: 'airport', counter: 'rental_center' },
};
