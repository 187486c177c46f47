import { ownCopy } from '../../model/own-copy.js';
import { bytesInJson, longTexts, unitBytes } from './tally.js';
import { seenIn } from './unseen.js';

/** The most bytes of one UTF-16 unit in JSON. */
const MOST_UNIT_BYTES = 3;
const ELLIPSIS = '…';

/**
 * The most bytes in JSON that each of the `texts` may have so that all of them fit in `room`: short ones leave theirs to the
 * others. Undefined if they fit as they are. What isn't text, or can't be rendered, is refused later. `bytesOf` may remember the bytes.
 */
export function roomOfEach(texts: readonly unknown[], room: number, bytesOf = bytesInJson): number | undefined {
  const stated = texts.filter((text) => typeof text === 'string');
  // Saves counting the bytes of most texts.
  if (stated.reduce((sum, { length }) => sum + length, 0) * MOST_UNIT_BYTES <= room) return undefined;
  const sizes = stated.map((text) => bytesOf(text) ?? text.length).sort((one, other) => one - other);
  let left = room;
  for (const [at, size] of sizes.entries()) {
    const most = Math.floor(left / (sizes.length - at));
    if (size > most) return most;
    left -= size;
  }
  return undefined;
}

/** The beginning of a text, with an ellipsis, of at most `most` bytes in JSON; the text if it has no more. */
export function beginningIn(most: number, text: string): string {
  let bytes = 0;
  /** How much fits together with the ellipsis. */
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    bytes += unitBytes(text.charCodeAt(at));
    if (bytes > most) return shortened(text, end + 1);
    if (bytes <= most - MOST_UNIT_BYTES) end = at + 1;
  }
  return text;
}

/** The first characters of a text, with an ellipsis; the rest isn't kept in memory. */
export function shortened(text: string, most: number): string {
  const end = most - 1;
  const isHalved = /[\uD800-\uDBFF]/.test(text.charAt(end - 1));
  return ownCopy(`${text.slice(0, isHalved ? end - 1 : end)}${ELLIPSIS}`);
}

/** What is made of the texts of one answer, each of which is read once, however many offers share it. */
export function sharedTexts() {
  const bytesOf = longTexts(bytesInJson);
  /** By the bytes that they have. */
  const beginnings = new Map<number, (text: string) => string>();
  return {
    seenIn: longTexts(seenIn),
    roomOfEach: (texts: readonly unknown[], room: number) => roomOfEach(texts, room, bytesOf),
    /** A text that is longer than `longest`, or isn't one, is refused later. */
    beginningIn: (most: number, text: string, longest: number) => {
      if (typeof text !== 'string' || text.length > longest) return text;
      const beginning = beginnings.get(most) ?? longTexts((one) => beginningIn(most, one));
      beginnings.set(most, beginning);
      return beginning(text);
    },
  };
}
