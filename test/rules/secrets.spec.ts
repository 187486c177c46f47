import { describe, expect, it } from '@jest/globals';
import { sources } from '../../scripts/sources.mjs';
import { isGuessable } from '../../src/config/guessable.js';
import { PROJECT } from '../support/project.js';

/** What is as long as a secret and looks like one, but isn't. */
const OTHERS = [
  // A part of an address of OWASP.
  'www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies',
  // In place of the secrets of webhooks in examples: they have another form.
  'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
  '00-00000000000000004111111111111111-00f067aa0ba902b7-01',
];

/** Texts that could be the master secret or a key: 32 characters or more of base64, base64url or hexadecimal. */
function possibleSecrets(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-]\.?)[\w+/-]{32,}={0,2}(?!\.?[\w-])/g)]
    .map(([found]) => found)
    .filter((found) => !(found.includes('/') && !/[A-Z]/.test(found)));
}

describe('a secret that anyone can read in this repository', () => {
  it('starts no gateway that others reach: it is generated, or refused as guessable', () => {
    const accepted = sources(PROJECT).flatMap(({ path, text }) =>
      possibleSecrets(text)
        .filter((found) => !OTHERS.includes(found) && !isGuessable(found))
        .map((found) => `${path}: ${found}`),
    );
    expect(accepted).toEqual([]);
  });

  it.each(['base64', 'base64url', 'hex'] as const)('is found in %s', (encoding) => {
    const bytes = Buffer.from('\0\u0001ÿþ'.repeat(8), 'latin1');
    for (const text of ["secret: '?'", 'FORECOURT_SECRET=? ', 'Use ?.', 'keys: 2:?,1:x'])
      expect(possibleSecrets(text.replace('?', bytes.toString(encoding)))).toEqual([bytes.toString(encoding)]);
  });
});
