import { countryFacts } from './country-facts.js';
import { localPrice } from './price-level.js';
import type { SimulatedCar, SimulatedCoverage, SimulatedExtra, SimulatedLocation } from './world.js';

/**
 * ABG code, OTA EquipType, name, dollars per day, maximum per rental (the ABG contract allows 3 of ADD, CBS, CSS, CIS,
 * GPS, WFI), winter only.
 */
const EXTRAS: readonly (readonly [
  abgCode: string,
  equipType: number,
  name: string,
  dailyUsd: number,
  maxQuantity: number,
  snow?: 'snow',
])[] = [
  ['CIS', 7, 'Infant seat', 13, 3],
  ['CSS', 8, 'Child safety seat', 13, 3],
  ['CBS', 9, 'Booster seat', 9, 3],
  ['GPS', 13, 'Navigation system', 12, 1],
  ['ADD', 67, 'Additional driver', 11, 3],
  ['WFI', 55, 'Mobile Wi-Fi', 10, 1],
  ['SNC', 10, 'Snow chains', 6, 1, 'snow'],
  ['SKR', 4, 'Ski rack', 8, 1, 'snow'],
];
const CAPPED_DAYS = 7;

/** The extras of a location; a long rental costs at most seven days of each. */
export function extrasOf({ countryCode, currency }: SimulatedLocation): readonly SimulatedExtra[] {
  const { winterTires } = countryFacts(countryCode);
  return EXTRAS.filter(([, , , , , snow]) => snow === undefined || winterTires).map(
    ([abgCode, equipType, name, dailyUsd, maxQuantity]) => {
      const perDay = localPrice(dailyUsd, currency);
      return { abgCode, equipType, name, perDay, maxPerRental: perDay * CAPPED_DAYS, maxQuantity };
    },
  );
}

/**
 * The coverages of a car. Outside the United States the rate includes collision, theft and third-party cover, with an
 * excess that super cover removes; in the United States they are sold by the day. An included coverage costs 0 per day.
 */
export function coveragesOf(
  { countryCode, currency }: SimulatedLocation,
  car: SimulatedCar,
): readonly SimulatedCoverage[] {
  const isPremium = 'PULWXO'.includes(car.sippCode.charAt(0));
  const excess = localPrice(isPremium ? 2_400 : 1_300, currency);
  const sold = (abgCode: string, coverageType: number, name: string, dailyUsd: number): SimulatedCoverage => ({
    abgCode,
    coverageType,
    name,
    perDay: localPrice(dailyUsd, currency),
    included: false,
  });
  if (!countryFacts(countryCode).coversIncluded) {
    return [
      { ...sold('LDW', 24, 'Loss damage waiver', isPremium ? 38 : 30), excess: 0 },
      sold('ALI', 27, 'Additional liability insurance', 16),
      sold('PAI', 32, 'Personal accident insurance', 7),
      sold('PEP', 35, 'Personal effects protection', 4),
    ];
  }
  return [
    { abgCode: 'CDW', coverageType: 7, name: 'Collision damage waiver', perDay: 0, included: true, excess },
    { abgCode: 'TP', coverageType: 48, name: 'Theft protection', perDay: 0, included: true, excess },
    { abgCode: 'LI', coverageType: 49, name: 'Third-party liability', perDay: 0, included: true },
    { ...sold('SCDW', 40, 'Super collision damage waiver', isPremium ? 31 : 21), excess: 0 },
    sold('PAI', 32, 'Personal accident insurance', 7),
  ];
}
