import type { ChargeKind, FuelPolicy } from '../../model/offers.js';
import { listCode, rowOf } from './table.js';

/** Every kind that a supplier's own table may assign to a purpose; the same words as ChargeKind. */
export const CHARGE_KINDS = [
  'rental',
  'one_way',
  'young_driver',
  'senior_driver',
  'additional_driver',
  'airport',
  'tax',
  'surcharge',
  'fee',
  'equipment',
  'coverage',
  'fuel',
  'distance',
  'discount',
  'delivery',
  'out_of_hours',
  'other',
] as const satisfies readonly ChargeKind[];

/** What isn't part of the price: the deposit, what is due now or at the counter, or what only repeats other charges. */
const ASIDE = ['deposit', 'prepaid', 'on_arrival', 'none'] as const;

/** What a supplier's own table may say of a purpose: its kind, or that it isn't a charge. */
export const PURPOSE_KINDS = [...CHARGE_KINDS, ...ASIDE] as const;

type PurposeKind = (typeof PURPOSE_KINDS)[number];

/**
 * How a purpose counts. `charge`: part of the price. `price_list`: the price of an additional day, mile or change;
 * never in the total unless the supplier says so. `policy`: a fuel or distance rule, usually without an amount.
 * `prepaid`, `on_arrival`: how the total is split. `deposit`: paid back. `none`: nothing, as a sum of other charges.
 */
type PurposeRole = 'charge' | 'price_list' | 'policy' | (typeof ASIDE)[number];

export interface Purpose {
  readonly kind: ChargeKind;
  /** English name from the list, for charges without a description. */
  readonly label: string;
  readonly role: PurposeRole;
  /** Whether it is a word of the supplier instead of a code, and no table says what it means. Absent means false. */
  readonly isWord?: boolean;
  /** Whether nothing says what it is for: it has no code, an unlisted one, or a word. Absent means false. */
  readonly isUnknown?: boolean;
  readonly fuelPolicy?: FuelPolicy;
}

const charge = (kind: ChargeKind, label: string): Purpose => ({ kind, label, role: 'charge' });
const priceList = (kind: ChargeKind, label: string): Purpose => ({ kind, label, role: 'price_list' });
const aside = (label: string, role: (typeof ASIDE)[number]): Purpose => ({ kind: 'other', label, role });
const fuel = (label: string, fuelPolicy: FuelPolicy): Purpose => ({ kind: 'fuel', label, role: 'policy', fuelPolicy });

const OTHER: Purpose = { ...charge('other', 'Charge'), isUnknown: true };

/** OTA list VCP (2024-09): the purpose of a VehicleCharge or Fee. */
const PURPOSES: Readonly<Record<string, Purpose>> = {
  1: charge('rental', 'Vehicle rental'),
  2: charge('one_way', 'One-way fee'),
  3: charge('discount', 'Discount'),
  4: charge('coverage', 'Coverage'),
  5: charge('surcharge', 'Surcharge'),
  6: charge('fee', 'Fee'),
  7: charge('tax', 'Tax'),
  8: priceList('distance', 'Additional distance'),
  9: priceList('rental', 'Additional week'),
  10: priceList('rental', 'Additional day'),
  11: priceList('rental', 'Additional hour'),
  12: charge('additional_driver', 'Additional driver'),
  13: charge('young_driver', 'Young driver'),
  14: charge('young_driver', 'Younger driver'),
  15: charge('senior_driver', 'Senior driver'),
  16: charge('delivery', 'Customer pickup'),
  17: charge('delivery', 'Customer drop-off'),
  18: charge('delivery', 'Vehicle delivery'),
  19: charge('delivery', 'Vehicle collection'),
  20: charge('fuel', 'Fuel'),
  21: charge('equipment', 'Equipment'),
  22: aside('Prepay amount', 'prepaid'),
  23: aside('Pay on arrival amount', 'on_arrival'),
  24: charge('fuel', 'Prepaid fuel'),
  25: charge('other', 'Adjustment'),
  26: aside('Mandatory charges total', 'none'),
  27: aside('Subtotal', 'none'),
  28: priceList('other', 'Optional'),
  29: charge('fee', 'Contract fee'),
  30: charge('airport', 'Airport surcharge'),
  31: charge('surcharge', 'Air conditioning surcharge'),
  32: charge('fee', 'Registration fee'),
  33: charge('fee', 'Vehicle license fee'),
  34: charge('surcharge', 'Winter service charge'),
  35: charge('rental', 'Base rate'),
  36: charge('fee', 'Mandatory charge'),
  37: charge('rental', 'Rate override'),
  38: charge('fee', 'Tolls'),
  49: charge('airport', 'Airport fee'),
  50: charge('fuel', 'Fuel surcharge'),
  51: charge('fee', 'Meet and greet'),
  55: charge('fee', 'Cleaning fee'),
  61: charge('surcharge', 'Holiday surcharge'),
  63: charge('surcharge', 'State surcharge'),
  64: charge('airport', 'Airport access fee'),
  65: charge('tax', 'City tax'),
  66: charge('fee', 'Service charge'),
  67: charge('surcharge', 'Premium location surcharge'),
  68: charge('fee', 'License recoupment fee'),
  69: charge('fee', 'Tourism charge'),
  70: charge('fee', 'Concession fee'),
  71: charge('fee', 'Customer facility charge'),
  72: charge('fee', 'Motor vehicle charge'),
  73: charge('airport', 'Airport concession fee recovery'),
  74: charge('fee', 'Facility fee'),
  75: charge('tax', 'Goods and services fee'),
  76: charge('fee', 'Concession recovery fee'),
  77: charge('fee', 'Border crossing fee'),
  78: charge('tax', 'County tax'),
  79: charge('fee', 'Location customer fee'),
  80: charge('equipment', 'Child restraint surcharge'),
  81: charge('fuel', 'Refueling surcharge'),
  82: charge('out_of_hours', 'Out of hours fee'),
  83: charge('fee', 'Administration fee'),
  85: charge('surcharge', 'Energy surcharge'),
  89: charge('tax', 'Lessor tax'),
  90: charge('young_driver', 'Age differential'),
  91: charge('surcharge', 'Government rental surcharge'),
  92: charge('tax', 'Gross receipts fee'),
  99: aside('Total surcharges', 'none'),
  100: charge('tax', 'Auto excise'),
  104: charge('surcharge', 'County surcharge'),
  108: charge('airport', 'Airport construction fee'),
  110: charge('airport', 'Airport contract fee'),
  112: charge('surcharge', 'Road usage surcharge'),
  // 113 to 120: a free tank need not be refilled; our model has nothing for 118.
  113: fuel('Free tank', 'full_to_empty'),
  114: fuel('Prepurchased fuel with refund', 'prepaid'),
  115: fuel('Prepurchased fuel without refund', 'prepaid'),
  116: fuel('Full to full', 'full_to_full'),
  117: fuel('Full to empty', 'full_to_empty'),
  118: fuel('Quarter to empty', 'unknown'),
  119: fuel('Empty to empty', 'same_to_same'),
  120: fuel('Half to half', 'same_to_same'),
  121: { kind: 'distance', label: 'Mileage included', role: 'policy' },
  122: charge('additional_driver', 'Second additional driver'),
  123: charge('additional_driver', 'Third additional driver'),
  124: charge('surcharge', 'Environmental surcharge'),
  125: charge('surcharge', 'High season surcharge'),
  126: priceList('fee', 'Cancellation fee'),
  127: priceList('fee', 'Amendment fee'),
  128: charge('tax', 'VAT'),
};

/** Local fees of the United States (64 to 112) that need no row of their own. */
const LOCAL_FEE: Purpose = charge('fee', 'Local fee');

/** OpenTravel's type of codes, OTA_CodeType: a code, perhaps with its list, perhaps of the supplier's own. */
const CODE = /^[0-9A-Z]{1,3}(\.[A-Z]{3}(\.X)?)?$/;

/**
 * How a purpose code counts; the supplier's own kinds take precedence, '' for none (docs/ota-dialect.md). An unknown or
 * missing code is `other`, a charge, and so is a word instead of a code.
 */
export function purposeOf(code: string | undefined, kinds: Readonly<Record<string, PurposeKind>>): Purpose {
  const listed = listCode('VCP', code);
  const known = listedPurpose(listed);
  const kind = rowOf(kinds, code ?? '') ?? rowOf(kinds, listed);
  if (kind === undefined) return known;
  return isAside(kind) ? aside(known.label, kind) : charge(kind, known.label);
}

function isAside(kind: PurposeKind): kind is (typeof ASIDE)[number] {
  return ASIDE.some((one) => one === kind);
}

function listedPurpose(code: string | undefined): Purpose {
  if (code === undefined) return OTHER;
  const isWord = !CODE.test(code);
  const unknown = isWord ? { ...OTHER, label: code, isWord } : OTHER;
  return rowOf(PURPOSES, code) ?? (Number(code) >= 64 && Number(code) <= 112 ? LOCAL_FEE : unknown);
}
