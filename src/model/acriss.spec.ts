import { describe, expect, it } from '@jest/globals';
import { ACRISS_VERSION, decodeSipp, matchesSipp } from './acriss.js';

const ALPHABET = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/** What every letter of one position means; letters left out must decode to null. */
const positions = {
  category: {
    code: (letter: string) => `${letter}DMR`,
    table: {
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
    },
  },
  type: {
    code: (letter: string) => `E${letter}MR`,
    table: {
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
    },
  },
  transmission: {
    code: (letter: string) => `ED${letter}R`,
    table: { M: 'manual', N: 'manual', C: 'manual', A: 'automatic', B: 'automatic', D: 'automatic' },
  },
  drive: {
    code: (letter: string) => `ED${letter}R`,
    table: { M: 'unspecified', N: 'four_wheel', C: 'all_wheel', A: 'unspecified', B: 'four_wheel', D: 'all_wheel' },
  },
  fuel: {
    code: (letter: string) => `EDM${letter}`,
    table: {
      R: 'unspecified',
      N: 'unspecified',
      D: 'diesel',
      Q: 'diesel',
      H: 'hybrid',
      I: 'plug_in_hybrid',
      E: 'electric',
      C: 'electric_plus',
      L: 'lpg',
      S: 'lpg',
      A: 'hydrogen',
      B: 'hydrogen',
      M: 'multi_fuel',
      F: 'multi_fuel',
      V: 'petrol',
      Z: 'petrol',
      U: 'ethanol',
      X: 'ethanol',
    },
  },
  airConditioning: {
    code: (letter: string) => `EDM${letter}`,
    table: {
      R: true,
      N: false,
      D: true,
      Q: false,
      H: true,
      E: true,
      L: true,
      S: false,
      A: true,
      B: false,
      M: true,
      F: false,
      V: true,
      Z: false,
      U: true,
      X: false,
    },
  },
} as const;

describe('decodeSipp', () => {
  for (const [field, { code, table }] of Object.entries(positions)) {
    it.each(ALPHABET.map((letter) => [letter, new Map<string, unknown>(Object.entries(table)).get(letter) ?? null]))(
      `reads ${field} %s as %s`,
      (letter, meaning) => {
        expect(decodeSipp(code(String(letter)))).toHaveProperty(field, meaning);
      },
    );
  }

  it.each([
    ['I', 'seats_6'],
    ['J', 'seats_6_elite'],
    ['S', 'seats_7'],
    ['R', 'seats_7_elite'],
    ['F', 'seats_7_spacious'],
    ['G', 'seats_7_spacious_elite'],
    ['P', 'seats_8'],
    ['U', 'seats_8_elite'],
    ['L', 'seats_9'],
    ['W', 'seats_9_elite'],
    ['X', 'seats_12'],
    ['O', 'seats_15'],
    ['M', 'mini'],
    ['C', 'compact'],
    ['Q', null],
  ])('reads the category of a van %sVMR as %s', (letter, category) => {
    expect(decodeSipp(`${letter}VMR`)?.category).toBe(category);
  });

  it.each(['I', 'C'])('never reports a car with fuel letter %s as having no air conditioning', (letter) => {
    expect(decodeSipp(`CDA${letter}`)?.airConditioning).toBeNull();
  });

  it('decodes a complete code', () => {
    expect(decodeSipp('IFDH')).toEqual({
      category: 'intermediate',
      type: 'suv',
      transmission: 'automatic',
      drive: 'all_wheel',
      fuel: 'hybrid',
      airConditioning: true,
    });
    expect(ACRISS_VERSION).toBe('acriss-electric-plus');
  });

  it.each(['', 'EDM', 'EDMRX', 'edmr', 'ED1R', 'ED R', '????'])(
    'returns undefined for %j, which is not a code',
    (code) => {
      expect(decodeSipp(code)).toBeUndefined();
    },
  );
});

describe('matchesSipp', () => {
  it.each([
    ['ECMR', 'ECMR', true],
    ['ECMR', 'E???', true],
    ['ECMR', '??M?', true],
    ['ECMR', '????', true],
    ['ECMR', 'E??N', false],
    ['ECMR', 'ECM', false],
    ['ECMR', 'ECMR?', false],
    ['ECM', '????', false],
    ['', '', false],
  ])('%s fits %s: %s', (code, pattern, fits) => {
    expect(matchesSipp(code, pattern)).toBe(fits);
  });
});
