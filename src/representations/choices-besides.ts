import { type ChosenExtra, isSameCode } from '../model/bookings.js';
import type { ChargeKind, PriceItem, SupplierOffer } from '../model/offers.js';

/** The kinds of items for what was chosen. */
const CHOSEN: ReadonlySet<string> = new Set<ChargeKind>(['equipment', 'coverage', 'additional_driver', 'other']);

/** A chosen extra or coverage. */
interface Chosen {
  readonly code: string;
  readonly name: string | undefined;
}

/** What shows that an item is for a chosen extra or coverage: its code, otherwise its name. */
interface ItemOfChoice extends Pick<PriceItem, 'code' | 'description' | 'includedInTotal'> {
  readonly kind: string;
}

/** The codes of what was chosen and is paid besides the total, as only the items can say. */
export function choicesBesides(items: readonly ItemOfChoice[], choices: readonly Chosen[]): readonly string[] {
  const besides = choices.filter(({ code, name }) => {
    const isOwn = (item: ItemOfChoice) =>
      item.code === undefined ? item.description === name : isSameCode(item.code, code);
    const own = items.filter((item) => CHOSEN.has(item.kind) && isOwn(item));
    return own.length > 0 && own.every(({ includedInTotal }) => !includedInTotal);
  });
  return besides.map(({ code }) => code);
}

/** What was chosen of an offer, with the names that it lists. */
export function namedChoices(
  { extras, coverages }: Pick<SupplierOffer, 'extras' | 'coverages'>,
  chosen: { readonly extras: readonly ChosenExtra[]; readonly coverages: readonly string[] },
): readonly Chosen[] {
  const named = (listed: readonly Chosen[], code: string) => ({
    code,
    name: listed.find((one) => one.code === code)?.name,
  });
  return [
    ...chosen.extras.map(({ code }) => named(extras, code)),
    ...chosen.coverages.map((code) => named(coverages, code)),
  ];
}
