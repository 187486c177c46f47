import { SupplierError } from '../model/supplier.js';
import type { RentalView } from '../representations/rental-view.js';
import { beginningIn, roomOfEach } from '../suppliers/answers/text-room.js';

/** Bytes in JSON of the terms and cancellation texts that a reservation keeps. */
const TEXT_BYTES = 20_000;
/** Bytes in JSON of all that a reservation keeps of an offer. With all 167 extras of ABG's contract and texts at their limit, they are 62,000. */
const MOST_BYTES = 100_000;

type Texted = { readonly text?: string | undefined };

/**
 * The rental as a reservation keeps it (docs/limits.md): if its terms and cancellation texts have more than 20,000 bytes, the longest are cut, and
 * end with an ellipsis. The same object if they don't.
 */
export function keptView(view: RentalView): RentalView {
  const { terms, cancellation } = view;
  const { rules, no_show: noShow } = cancellation;
  const texts = [...terms, ...rules, ...(noShow ? [noShow] : [])].map(({ text }: Texted) => text);
  const most = roomOfEach(texts, TEXT_BYTES);
  if (most === undefined) return view;
  const cut = <T extends Texted>(one: T): T =>
    one.text === undefined ? one : { ...one, text: beginningIn(most, one.text) };
  return {
    ...view,
    cancellation: { ...cancellation, rules: rules.map(cut), no_show: noShow && cut(noShow) },
    terms: terms.map(cut),
  };
}

/** Throws SupplierError `bad_payload` for a rental of which a reservation would keep more than 100,000 bytes. */
export function refuseUnkept(view: RentalView): void {
  const bytes = Buffer.byteLength(JSON.stringify(keptView(view)));
  if (bytes > MOST_BYTES)
    throw new SupplierError(
      'bad_payload',
      `a reservation of the offer would keep ${bytes} bytes of it; the limit is ${MOST_BYTES}`,
    );
}
