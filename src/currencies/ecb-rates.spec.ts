import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readEcbRates } from './ecb-rates.js';
import { CONFIG } from './fixtures/sample-rates.js';
import { SAMPLE_SOURCE } from './rate-table.js';

const NOW = Date.parse('2026-11-23T16:00:00Z');
const SHIPPED = readFileSync(join(CONFIG, 'exchange-rates.xml'), 'utf8');

describe('a document of exchange rates', () => {
  it('that is shipped has the rates of one day, and says that they are samples', () => {
    const { asOf, source, perEuro } = readEcbRates(SHIPPED, NOW);
    expect({ asOf, source, usd: perEuro.get('USD'), yen: perEuro.get('JPY') }).toEqual({
      asOf: '2026-11-20',
      source: SAMPLE_SOURCE,
      usd: '1.0812',
      yen: '162.35',
    });
    expect(perEuro.size).toBe(29);
  });

  const change = (from: string | RegExp, to: string): string => SHIPPED.replace(from, to);
  it.each([
    ['is empty', '', 'not well-formed|fewer than 5'],
    ['is an HTML page', '<html><body>Moved<br></body></html>', 'not well-formed'],
    ['is cut off', SHIPPED.slice(0, 1_500), 'not well-formed'],
    ['has an entity', change('<gesmes:E', '<!DOCTYPE x [<!ENTITY a "b">]><gesmes:E'), 'DOCTYPE'],
    ['has no day', change(" time='2026-11-20'", ''), 'exactly one day'],
    ['has a day that does not exist', change('2026-11-20', '2026-02-30'), 'exactly one day'],
    ['has two days', change('<Cube>', "<Cube><Cube time='2026-11-19'/>"), 'exactly one day'],
    ['is dated in the future', change('2026-11-20', '2026-11-25'), 'dated 2026-11-25, which is in the future'],
    ['has a rate of zero', change('1.0812', '0.00'), 'rate of USD that is not a positive decimal'],
    ['has a negative rate', change('1.0812', '-1.08'), 'rate of USD that is not a positive decimal'],
    ['has a rate with a comma', change('1.0812', '1,0812'), 'rate of USD that is not a positive decimal'],
    ['lacks a rate', change("rate='1.0812'", ''), 'rate of USD that is not a positive decimal'],
    ['has an unknown currency', change('USD', 'USX'), 'ISO 4217'],
    ['has a currency twice', change('JPY', 'USD'), 'USD twice'],
    ['has the euro', change('JPY', 'EUR'), 'EUR twice'],
    ['has few currencies', change(/<Cube currency='DKK'[\s\S]*ZAR'[^>]*>/, ''), 'fewer than 5'],
    ['doesn’t name a publisher', change(SAMPLE_SOURCE, ''), 'do not name their publisher'],
    ['has a very long publisher', change(SAMPLE_SOURCE, 'x'.repeat(81)), 'do not name their publisher'],
    ['is very long', SHIPPED + ' '.repeat(65_536), 'more than 65536 characters'],
  ])('is refused if it %s', (_case, text, reason) => {
    expect(() => readEcbRates(text, NOW)).toThrow(new RegExp(reason));
    expect(() => readEcbRates(text, NOW)).toThrow(expect.objectContaining({ name: 'UnreadableRatesError' }));
  });
});
