import type { BookEntry, Intent, Kept, KeptReservation } from './evidence.js';

/**
 * The book must hold, part by part, the last answer the client received, and the reservation must show what the book
 * holds.
 */
export function changeContradictions(
  intent: Intent,
  reservation: KeptReservation | undefined,
  booking: BookEntry | undefined,
): string[] {
  if (reservation?.state !== 'confirmed' || !booking || !reservation.kept) return [];
  const { kept } = reservation;
  const book = keptBy(booking);
  return PARTS.flatMap((part) => {
    const allowed = allowedValues(intent, part);
    const wrong = allowed.has(book[part])
      ? []
      : [`${part} is "${book[part]}" at the supplier, told was "${[...allowed].join('" or "')}"`];
    return kept[part] === book[part]
      ? wrong
      : [...wrong, `${part} is "${kept[part]}" here and "${book[part]}" at the supplier`];
  });
}

/** Some suppliers write flights with a space; some can only hold our reference in the remark, if there is no remark. */
function keptBy({ email = '', flight = '', remark = '', reference }: BookEntry): Kept {
  return { email, flight: flight.replace(' ', ''), remark: remark === reference ? '' : remark };
}

const PARTS = ['email', 'flight', 'remark'] as const;

/** The values that a part may have after the client's answers: done sets it, refused leaves it, unknown allows both. */
function allowedValues({ booked, changes }: Intent, part: keyof Kept): ReadonlySet<string> {
  let allowed = new Set([booked[part]]);
  for (const change of changes.filter((one) => one.part === part)) {
    if (change.word === 'done') allowed = new Set([change.value]);
    if (change.word === 'unknown') allowed.add(change.value);
  }
  return allowed;
}
