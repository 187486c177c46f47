import { describe, expect, it } from '@jest/globals';
import { randomText } from './random-text.js';

describe('random text', () => {
  it('is 16 characters of base64url, never the same', () => {
    const texts = Array.from({ length: 2_000 }, randomText);
    for (const text of texts) expect(text).toMatch(/^[\w-]{16}$/);
    expect(new Set(texts).size).toBe(2_000);
  });
});
