import { createHmac, type KeyObject } from 'node:crypto';
import { acceptedKeys, type Keys } from '../config/keys.js';

/**
 * What request records have in place of a reservation's id: a keyed digest of 24 letters, so that operators find the
 * requests of a reservation, and records alone reveal none (docs/usage.md).
 */
export function reservationMark(keys: Keys, id: string): string {
  return markOf(id, keys('reservation_mark'));
}

/** Every mark with which a request of this reservation may have been recorded: also that from the other secret. */
export function reservationMarks(keys: Keys, id: string): readonly string[] {
  return acceptedKeys(keys, 'reservation_mark').map((key) => markOf(id, key));
}

function markOf(id: string, key: KeyObject): string {
  const digest = createHmac('sha256', key).update(id).digest('hex').slice(0, 24);
  // Letters only, so that no digest looks like a card number.
  return digest.replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}
