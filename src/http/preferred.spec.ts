import { expect, test } from '@jest/globals';
import { languageOf } from './language.decorator.js';
import { fitsType, preferred } from './preferred.js';

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-at', 'de'],
  ['pt-BR, en;q=0.8', 'pt'],
  ['en;q=0.5, fr;q=0.9', 'fr'],
  ['it, es', 'it'],
  ['es, it', 'es'],
  ['nl, fr;q=0.3', 'fr'],
  ['nl', 'en'],
  ['*', 'en'],
  ['*, en;q=0', 'de'],
  ['de;q=0, *;q=0.1', 'en'],
  ['de-AT;q=0.2, de;q=0.9, fr;q=0.5', 'de'],
  ['de;q=2, fr;q=0.1', 'fr'],
  ['de;q=abc', 'en'],
  ['den', 'en'],
  [';;;,,,;q=1', 'en'],
  [`${'nl,'.repeat(60)}de`, 'en'],
])('Accept-Language %j means %s', (header, language) => {
  expect(languageOf(header)).toBe(language);
});

test.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['text/html', 'text/html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['application/json', 'application/json'],
  ['text/*;q=0.5, application/json;q=0.4', 'text/html'],
  ['text/html;q=0, */*', 'application/json'],
  ['application/pdf', undefined],
  ['text/html;q=0', undefined],
])('Accept %j means %s', (header, type) => {
  expect(preferred(header, ['application/json', 'text/html'], fitsType)).toBe(type);
});
