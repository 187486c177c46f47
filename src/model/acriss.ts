/**
 * ACRISS (SIPP) car codes: category, type, transmission and drive, fuel and air conditioning
 * (docs/trade.md#acriss-codes). Some letters changed their meaning between editions, so offers keep the code itself,
 * and it is decoded with one named edition of the table.
 */

/** In this edition, I is a plug-in hybrid, E an electric car and C an electric car with a longer range. */
export const ACRISS_VERSION = 'acriss-electric-plus';

const CATEGORIES = {
  M: 'mini',
  N: 'mini_elite',
  E: 'economy',
  H: 'economy_elite',
  C: 'compact',
  D: 'compact_elite',
  I: 'intermediate',
  J: 'intermediate_elite',
  S: 'standard',
  R: 'standard_elite',
  F: 'fullsize',
  G: 'fullsize_elite',
  P: 'premium',
  U: 'premium_elite',
  L: 'luxury',
  W: 'luxury_elite',
  O: 'oversize',
  X: 'special',
} as const;

/**
 * With type V, these letters give the number of seats; all others keep their usual meaning (suppliers use MV.. for a
 * mini van).
 */
const VAN_CATEGORIES = {
  I: 'seats_6',
  J: 'seats_6_elite',
  S: 'seats_7',
  R: 'seats_7_elite',
  F: 'seats_7_spacious',
  G: 'seats_7_spacious_elite',
  P: 'seats_8',
  U: 'seats_8_elite',
  L: 'seats_9',
  W: 'seats_9_elite',
  X: 'seats_12',
  O: 'seats_15',
} as const;

const TYPES = {
  B: 'door_2_3',
  C: 'door_2_4',
  D: 'door_4_5',
  W: 'wagon',
  V: 'passenger_van',
  L: 'limousine_sedan',
  S: 'sport',
  T: 'convertible',
  F: 'suv',
  J: 'open_air_all_terrain',
  X: 'special',
  P: 'pickup_single_cab',
  Q: 'pickup_double_cab',
  Z: 'special_offer',
  E: 'coupe',
  M: 'monospace',
  R: 'recreational_vehicle',
  H: 'motor_home',
  Y: 'two_wheel',
  N: 'roadster',
  G: 'crossover',
  K: 'commercial_van',
} as const;

const TRANSMISSIONS = {
  M: { transmission: 'manual', drive: 'unspecified' },
  N: { transmission: 'manual', drive: 'four_wheel' },
  C: { transmission: 'manual', drive: 'all_wheel' },
  A: { transmission: 'automatic', drive: 'unspecified' },
  B: { transmission: 'automatic', drive: 'four_wheel' },
  D: { transmission: 'automatic', drive: 'all_wheel' },
} as const;

/**
 * Air conditioning is null for I and C: older editions define them as hybrid and electric without air conditioning,
 * newer ones with it, and a code doesn't say which edition it uses.
 */
const FUELS = {
  R: { fuel: 'unspecified', airConditioning: true },
  N: { fuel: 'unspecified', airConditioning: false },
  D: { fuel: 'diesel', airConditioning: true },
  Q: { fuel: 'diesel', airConditioning: false },
  H: { fuel: 'hybrid', airConditioning: true },
  I: { fuel: 'plug_in_hybrid', airConditioning: null },
  E: { fuel: 'electric', airConditioning: true },
  C: { fuel: 'electric_plus', airConditioning: null },
  L: { fuel: 'lpg', airConditioning: true },
  S: { fuel: 'lpg', airConditioning: false },
  A: { fuel: 'hydrogen', airConditioning: true },
  B: { fuel: 'hydrogen', airConditioning: false },
  M: { fuel: 'multi_fuel', airConditioning: true },
  F: { fuel: 'multi_fuel', airConditioning: false },
  V: { fuel: 'petrol', airConditioning: true },
  Z: { fuel: 'petrol', airConditioning: false },
  U: { fuel: 'ethanol', airConditioning: true },
  X: { fuel: 'ethanol', airConditioning: false },
} as const;

type ValueOf<T> = T[keyof T];
export type SippCategory = ValueOf<typeof CATEGORIES> | ValueOf<typeof VAN_CATEGORIES>;
export type SippType = ValueOf<typeof TYPES>;
export type SippTransmission = ValueOf<typeof TRANSMISSIONS>['transmission'];
export type SippDrive = ValueOf<typeof TRANSMISSIONS>['drive'];
export type SippFuel = ValueOf<typeof FUELS>['fuel'];

/** All categories, cars before vans, small to large. */
export const SIPP_CATEGORIES: readonly SippCategory[] = [
  ...Object.values(CATEGORIES),
  ...Object.values(VAN_CATEGORIES),
];

/**
 * The four letters, decoded. Null means that the letter is unknown or, for air conditioning, that the editions
 * contradict each other.
 */
export interface DecodedSipp {
  readonly category: SippCategory | null;
  readonly type: SippType | null;
  readonly transmission: SippTransmission | null;
  readonly drive: SippDrive | null;
  readonly fuel: SippFuel | null;
  readonly airConditioning: boolean | null;
}

/** Suppliers use a few hundred of all possible codes. */
const MOST_KNOWN = 10_000;
const known = new Map<string, DecodedSipp>();

/**
 * Decodes each letter separately. Undefined unless `code` is four capital letters. Suppliers misuse codes, so what they
 * state explicitly takes precedence.
 */
export function decodeSipp(code: string): DecodedSipp | undefined {
  const before = known.get(code);
  if (before) return before;
  if (!/^[A-Z]{4}$/.test(code)) return undefined;
  const [category = '', type = '', transmission = '', fuel = ''] = code;
  const drivetrain = letter(TRANSMISSIONS, transmission);
  const energy = letter(FUELS, fuel);
  const decoded = {
    category: (type === 'V' ? letter(VAN_CATEGORIES, category) : null) ?? letter(CATEGORIES, category),
    type: letter(TYPES, type),
    transmission: drivetrain?.transmission ?? null,
    drive: drivetrain?.drive ?? null,
    fuel: energy?.fuel ?? null,
    airConditioning: energy?.airConditioning ?? null,
  };
  if (known.size < MOST_KNOWN) known.set(code, decoded);
  return decoded;
}

function letter<T extends object>(table: T, key: string): ValueOf<T> | null {
  return Object.hasOwn(table, key) ? table[key as keyof T] : null;
}

/** Whether a code matches a four-character pattern in which `?` matches any letter (`E?A?`). Both are in capitals. */
export function matchesSipp(code: string, pattern: string): boolean {
  if (code.length !== 4 || pattern.length !== 4) return false;
  for (let position = 0; position < 4; position += 1) {
    if (pattern[position] !== '?' && pattern[position] !== code[position]) return false;
  }
  return true;
}
