/** Brands of payment cards that offers and suppliers accept, the same for all suppliers. */
export const CARD_BRANDS = [
  'visa',
  'mastercard',
  'american_express',
  'diners_club',
  'discover',
  'jcb',
  'maestro',
  'union_pay',
  'uatp',
  'other',
] as const;

export type CardBrand = (typeof CARD_BRANDS)[number];

/** The brands that a supplier names in words, each once, in its order; `other` for a name that isn't known. */
export function cardBrandsOf(names: readonly string[]): readonly CardBrand[] {
  const brandOf = (name: string): CardBrand => {
    const word = name.toLowerCase().replaceAll(/[ -]/g, '_');
    return CARD_BRANDS.find((brand) => brand === word) ?? 'other';
  };
  return [...new Set(names.map(brandOf))];
}
