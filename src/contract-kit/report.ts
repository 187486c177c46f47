import type { Operation } from '../model/supplier.js';
import { CASES, type Verdict } from './judge.js';
import { type Check, LEVELS } from './levels.js';

const WIDTHS = { case: 18, operations: 82 } as const;
const MARKS = { passed: '✓', failed: '✗', skipped: '–' } as const;
const SHORT: { readonly [O in Operation]: string } = {
  searchLocations: 'locations',
  searchVehicles: 'vehicles',
  priceCheck: 'price',
  book: 'book',
  retrieve: 'read',
  modify: 'modify',
  cancel: 'cancel',
  locationDetails: 'details',
};

/**
 * The line of one case: a mark for each of its operations, then its failures. `checks` are those of this case, in
 * order.
 */
export function caseLines(checks: readonly Check[]): string {
  const [first] = checks;
  if (!first) return '';
  const marks = checks.map(({ operation, result }) => `${MARKS[result]} ${SHORT[operation]}`).join('  ');
  const ms = checks.reduce((sum, check) => sum + check.ms, 0);
  const line = `${first.case.padEnd(WIDTHS.case)}${marks.padEnd(WIDTHS.operations)}${ms} ms`;
  const failures = checks
    .filter(({ result }) => result === 'failed')
    .map(({ operation, reason }) => `    ${operation}: ${reason}`);
  if (failures.length === 0) return line;
  const { guarantee = '' } = CASES.find(({ id }) => id === first.case) ?? {};
  return [line, `    guarantee: ${guarantee}`, ...failures].join('\n');
}

/** The text after the table: skipped checks grouped by reason, the counts and the level. */
export function closingLines({ supplier, checks, level, simulated, ms, left }: Verdict): string {
  const skipped = new Map<string, string[]>();
  for (const { result, reason = '', ...check } of checks) {
    if (result === 'skipped') skipped.set(reason, [...(skipped.get(reason) ?? []), `${check.case}.${check.operation}`]);
  }
  const count = (wanted: Check['result']): number => checks.filter(({ result }) => result === wanted).length;
  const reasons = [...skipped].map(
    ([reason, names]) => `skipped ${names.length < 4 ? names.join(', ') : `${names.length} checks`}: ${reason}`,
  );
  const against = simulated ? 'its simulator' : 'a test system';
  return [
    '',
    ...reasons,
    ...(left.length === 0 ? [] : [`${supplier}: could not cancel ${left.join(', ')}; cancel manually`]),
    `${supplier}: ${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped against ${against} in ${(ms / 1000).toFixed(1)} s`,
    `${supplier}: level ${level ?? 'none'} against ${against} (of ${LEVELS.join(', ')})`,
  ].join('\n');
}

/** A level and what it was reached against, for badges: a simulator proves less than the supplier's own test system. */
export function levelText({ level, simulated }: Pick<Verdict, 'level' | 'simulated'>): string {
  return level === undefined ? 'none' : `${level} (${simulated ? 'simulator' : 'test system'})`;
}

const COLOURS = { gold: '#b8860b', silver: '#6b7a86', bronze: '#a0612c', none: '#9f1d1d' } as const;

/** The badge of a verdict as an SVG document: the supplier's id, its level and what it was reached against. */
export function badgeSvg(verdict: Pick<Verdict, 'supplier' | 'level' | 'simulated'>): string {
  const { supplier } = verdict;
  const level = levelText(verdict);
  const left = 14 + supplier.length * 7;
  const right = 14 + level.length * 7;
  const title = `${supplier}: contract ${level}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${title}">
  <title>${title}</title>
  <rect width="${left + right}" height="20" rx="3" fill="#333"/>
  <path d="M${left} 0h${right - 3}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-${right - 3}z" fill="${COLOURS[verdict.level ?? 'none']}"/>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
    <text x="${left / 2}" y="14">${supplier}</text>
    <text x="${left + right / 2}" y="14">${level}</text>
  </g>
</svg>
`;
}
