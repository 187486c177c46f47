import { createHmac } from 'node:crypto';
import type { Keys } from '../config/keys.js';

/**
 * What request records have in place of a reservation's id: a keyed digest of 24 letters, so that operators find the
 * requests of a reservation, and records alone reveal none (docs/usage.md).
 */
export function reservationMark(keys: Keys, id: string): string {
  const digest = createHmac('sha256', keys('reservation_mark')).update(id).digest('hex').slice(0, 24);
  // Letters only, so that no digest looks like a card number.
  return digest.replaceAll(/\d/g, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}
