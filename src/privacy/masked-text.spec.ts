import { expect, it } from '@jest/globals';
import { threadMs } from '../../test/support/thread-time.js';
import { maskedText } from './masked-text.js';

it.each([
  ['a card number', 'card 4111-1111-1111-1111 of the renter declined', 'card [card number] of the renter declined'],
  ['an email address', 'no such user <ada@example.com>, sorry', 'no such user <[email]>, sorry'],
  ['nothing', 'connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
])('masks %s', (_case, text, masked) => {
  expect(maskedText(text)).toBe(masked);
});

it('masks the names that the caller knows, in any case, whatever characters they have', () => {
  expect(maskedText('Renter LOVELACE, ada (A.) unknown', 200, ['Ada (A.)', 'Lovelace', 'a', ''])).toBe(
    'Renter [personal], [personal] unknown',
  );
});

it('masks before it cuts: no part of a card number or address is left at the end', () => {
  for (let length = 1; length < 40; length += 1) {
    expect(maskedText(`to 4111111111111111 ada@example.com`, length)).toBe('to [card number] [email]'.slice(0, length));
  }
});

it('reads only the beginning of a long text, and never half of a card number', () => {
  for (let padding = 8_170; padding < 8_200; padding += 1) {
    const text = `so ${'\u200b'.repeat(padding)}4111 1111 1111 1111 end of it`;
    expect(maskedText(text, 10_000)).not.toMatch(/4111/);
  }
  const startedAt = threadMs();
  expect(maskedText('x@'.repeat(2_000_000)).length).toBeLessThanOrEqual(200);
  // Some milliseconds; all four million characters take seconds.
  expect(threadMs() - startedAt).toBeLessThan(500);
});
