import { isContext } from 'node:vm';
import { expect, it } from '@jest/globals';

it('globals of tests are plain properties, not intercepted (test/support/shared-globals.mjs)', () => {
  expect(isContext(globalThis)).toBe(true);
});
