import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CASES, type Verdict } from './judge.js';
import type { Check } from './levels.js';
import { badgeSvg, caseLines, closingLines } from './report.js';

const failed: Check = { case: 'html', operation: 'searchVehicles', result: 'failed', reason: 'gave 0 items', ms: 3 };
const checks: readonly Check[] = [
  { case: 'html', operation: 'searchLocations', result: 'passed', ms: 2 },
  failed,
  { case: 'html', operation: 'modify', result: 'skipped', reason: 'the adapter has no modify', ms: 0 },
];
const verdict: Verdict = { supplier: 'uno', adapter: 'fake', simulated: true, ms: 1_500, checks, left: ['D17'] };

describe('report', () => {
  it('marks each operation of a case and lists the guarantee and the failure below it', () => {
    const [line = '', guarantee, failure] = caseLines(checks).split('\n');
    expect(line.replace(/ +/g, ' ')).toBe('html ✓ locations ✗ vehicles – modify 5 ms');
    expect([guarantee, failure]).toEqual([
      '    guarantee: a web page with status 200 is bad_payload',
      '    searchVehicles: gave 0 items',
    ]);
  });

  it('ends with the reasons for skipping, the counts and the level', () => {
    expect(closingLines(verdict).split('\n').slice(1)).toEqual([
      'skipped html.modify: the adapter has no modify',
      'uno: could not cancel D17; cancel manually',
      'uno: 1 passed, 1 failed, 1 skipped against its simulator in 1.5 s',
      'uno: level none against its simulator (of bronze, silver, gold)',
    ]);
  });

  it.each([
    ['bronze', true, 'bronze (simulator)'],
    ['gold', true, 'gold (simulator)'],
    ['gold', false, 'gold (test system)'],
    [undefined, false, 'none'],
  ] as const)(
    'has a well-formed badge with supplier, level and what it was reached against: %s %s',
    (level, simulated, text) => {
      const svg = badgeSvg({ supplier: 'uno', simulated, ...(level === undefined ? {} : { level }) });
      expect(svg).toContain(`<title>uno: contract ${text}</title>`);
      expect(svg).toMatch(/^<svg [^>]+>[\s\S]*<\/svg>\n$/);
    },
  );

  it('states that a level was reached against a test system', () => {
    const lines = closingLines({ ...verdict, level: 'gold', simulated: false });
    expect(lines).toContain('uno: level gold against a test system (of');
  });
});

describe('cases', () => {
  it('have unique ids that fit the skip list of a supplier', () => {
    const ids = CASES.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9_]+$/);
  });

  it('are all listed in docs/contract-kit.md, which lists no others', () => {
    const [, table = ''] = readFileSync('docs/contract-kit.md', 'utf8').split('<!-- test:cases -->');
    const named = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, id = '']) => id),
    );
    expect(named.sort()).toEqual(CASES.map(({ id }) => id).sort());
  });
});
