import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { claimsIn, sectionsOf, withClaims } from '../../scripts/docs/claims.js';
import { sources } from '../../scripts/sources.mjs';
import { ASVS, SECTIONS } from '../support/claim.js';
import { PROJECT } from '../support/project.js';

/** In the order of their sections; the table of requirements is on the first page. */
const [OVERVIEW = '', ...PARTS] = ['security', 'security-access', 'security-data', 'security-system'].map((name) =>
  readFileSync(join(PROJECT, 'docs', `${name}.md`), 'utf8'),
);
const claims = claimsIn(sources(PROJECT));

const inSpec = (text: string) => claimsIn([{ path: 'test/e2e/some.spec.ts', text }]);

describe('docs/security.md and its parts', () => {
  it('are what `npm run docs` writes', () => {
    for (const page of [OVERVIEW, ...PARTS]) expect(page).toBe(withClaims(page, claims));
  });

  it('have all sections, in order, and the requirements of ASVS', () => {
    expect(PARTS.flatMap(sectionsOf)).toEqual(SECTIONS);
    expect(sectionsOf(OVERVIEW)).toEqual(['asvs']);
  });

  it.each([...SECTIONS, ...Object.keys(ASVS)])('%s has a claim', (place) => {
    expect(claims.filter(({ places }) => places.includes(place))).not.toEqual([]);
  });

  it('say what is not claimed', () => {
    expect(OVERVIEW).toMatch(/^## What is not claimed$/m);
  });
});

describe('claims', () => {
  it('are read with their sections, sentence and file', () => {
    const text = `describe('a room', () => {
      claim('API4', 'One is one.', async () => {}, 5_000);
      describe.each([1, 2])('%s', () => {
        claim.each<[string]>([['a']])(['API1', 'V2.4.1'], "It's two.", '%s', (name) => name);
      });
    });`;
    expect(inSpec(text)).toEqual([
      { places: ['API4'], sentence: 'One is one.', file: 'test/e2e/some.spec.ts' },
      { places: ['API1', 'V2.4.1'], sentence: "It's two.", file: 'test/e2e/some.spec.ts' },
    ]);
  });

  it.each([
    ['skipped', "claim.skip('API1', 'One.', prove);"],
    ['run alone', "claim.only('API1', 'One.', prove);"],
    ['under another name', 'const proof = claim;'],
    ['in a skipped describe', "describe.skip('x', () => { claim('API1', 'One.', prove); });"],
    ['in xdescribe', "xdescribe('x', () => { claim('API1', 'One.', prove); });"],
    ['in a describe of its own', "describeOnMonday('x', () => { claim('API1', 'One.', prove); });"],
    ['in a condition', "if (process.env.ALL) claim('API1', 'One.', prove);"],
    ['in an expression', "process.env.ALL && claim('API1', 'One.', prove);"],
    ['in a function that may not be called', "function all() { claim('API1', 'One.', prove); }"],
    ['with a computed sentence', "claim('API1', sentence, prove);"],
    ['with a computed section', "claim(section, 'One.', prove);"],
    ['with a placeholder', "claim('API1', 'One of %s.', prove);"],
    ['without a complete sentence', "claim('API1', 'one', prove);"],
    ['with the sentence of another', "claim('API1', 'One.', prove); claim('API2', 'One.', prove);"],
  ])('are rejected if they are %s', (_case, text) => {
    expect(() => inSpec(text)).toThrow(/some\.spec\.ts:1: |two claims have the sentence/);
  });

  it('are read only where tests run', () => {
    expect(claimsIn([{ path: 'test/support/some.ts', text: "claim('API1', 'One.', prove);" }])).toEqual([]);
  });
});
