import { SHORTEST_CARD } from './card-schemes.js';
import { INVISIBLE, kindOf, LETTER } from './character-kinds.js';
import { type CardPlace, cardsInRun } from './digit-run.js';

/**
 * Whether a text contains a payment card number (docs/decisions/0027): digits of any script, in one piece or in groups,
 * with the first digits, length and check digit of a card scheme. Takes time in proportion to the length of the text.
 */
export function holdsCardNumber(text: string): boolean {
  return placesOfCards(text).length > 0;
}

/** Replaces each payment card number in a text by `[card number]`. */
export function maskCardNumbers(text: string): string {
  let masked = '';
  let from = 0;
  for (const { start, end } of placesOfCards(text)) {
    masked += `${text.slice(from, start)}[card number]`;
    from = end;
  }
  return from === 0 ? text : masked + text.slice(from);
}

/**
 * Forms that other numbers are written in, and card numbers never: UUIDs, digests in hexadecimal, dates. Each alternative
 * begins and ends at the boundary of a word, so that the time stays proportional to the text.
 */
const OTHER_FORMS =
  /(?<![\da-z])(?:[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|(?=\d*[a-f])[\da-f]{20,}|(?:19|20)\d\d-[01]?\d-[0-3]?\d|[0-3]?\d[./-][0-3]?\d[./-](?:19|20)\d\d)(?![\da-z])/gi;

/** In order and without overlaps. */
function placesOfCards(text: string): readonly CardPlace[] {
  const found = cardsBetweenLetters(text);
  if (found.length === 0) return found;
  return cardsBetweenLetters(text.replace(OTHER_FORMS, (form) => 'x'.repeat(form.length)));
}

/** Searches the digits between letters, unless there are too few. */
function cardsBetweenLetters(text: string): readonly CardPlace[] {
  const found: CardPlace[] = [];
  let runStart = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const codePoint = text.codePointAt(at) ?? 0;
    const kind = kindOf(codePoint);
    if (kind < INVISIBLE) digits += 1;
    else if (kind === LETTER) {
      if (digits >= SHORTEST_CARD) found.push(...cardsInRun(text, runStart, at, digits));
      runStart = at;
      digits = 0;
    }
    if (codePoint > 0xffff) at += 1;
  }
  if (digits >= SHORTEST_CARD) found.push(...cardsInRun(text, runStart, text.length, digits));
  return found;
}
