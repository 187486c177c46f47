import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { PROJECT } from '../support/project.js';

const EXAMPLE = join(PROJECT, 'docs', 'examples', 'search-page');
const TSC = join(PROJECT, 'node_modules', 'typescript-7', 'bin', 'tsc');

it('the types of the example search page are right', () => {
  const check = () => execFileSync(process.execPath, [TSC, '-p', EXAMPLE], { encoding: 'utf8', timeout: 60_000 });
  expect(check()).toBe('');
});

it('the example search page loads nothing from elsewhere and has no dependency', () => {
  const texts = readdirSync(EXAMPLE)
    .filter((name) => /\.(?:m?js|html|css)$/.test(name))
    .map((name) => readFileSync(join(EXAMPLE, name), 'utf8'));
  const imported = texts.flatMap((text) => [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from));
  expect(imported.filter((from) => !from?.startsWith('node:') && !from?.startsWith('./'))).toEqual([]);
  expect(texts.flatMap((text) => text.match(/https?:\/\/(?!127\.0\.0\.1|page')[^'"`\s]*/g) ?? [])).toEqual([]);
});
