import { writeFileSync } from 'node:fs';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { judge, type Verdict } from '../contract-kit/judge.js';
import { type Check, LEVELS, type Level } from '../contract-kit/levels.js';
import { badgeSvg, caseLines, closingLines, levelText } from '../contract-kit/report.js';
import { print } from './terminal.js';

/** How `gw adapter test` was called. */
export interface TestOptions {
  readonly url?: string;
  readonly simulator?: boolean;
  readonly level?: string;
  readonly book?: boolean;
  readonly json?: boolean;
  readonly badge?: string;
}

/**
 * Runs the contract kit against a supplier. Prints a table as the test proceeds, or the verdict as JSON. Sets exit code
 * 1 if a check failed or the requested level was not reached.
 */
export async function testAdapter(
  config: SupplierConfig,
  { url, simulator, level: asked, book, json, badge }: TestOptions,
): Promise<void> {
  const level = LEVELS.find((known) => known === asked);
  if (asked !== undefined && !level) throw new Error(`--level must be one of ${LEVELS.join(', ')}`);
  // The machine's time zone must not matter. An unusual one exposes adapters that use local time.
  process.env.TZ = 'Pacific/Chatham';
  const table = new Table((text) => (json ? undefined : print(text)));
  const verdict = await judge(config, {
    url: url ?? config.url,
    simulator,
    level,
    mayBook: book ?? false,
    onCheck: (check) => table.add(check),
  });
  table.end();
  if (badge !== undefined) writeFileSync(badge, badgeSvg(verdict));
  if (json) print(JSON.stringify({ ...verdict, badge: badgeOf(verdict) }, null, 2));
  else print(closingLines(verdict));
  process.exitCode = passed(verdict, level) ? 0 : 1;
}

/** Collects the checks of a case and writes their line when the next case begins. */
class Table {
  #open: Check[] = [];

  constructor(private readonly write: (text: string) => void) {}

  add(check: Check): void {
    if (this.#open[0] && this.#open[0].case !== check.case) this.end();
    this.#open.push(check);
  }

  end(): void {
    if (this.#open.length > 0) this.write(caseLines(this.#open));
    this.#open = [];
  }
}

function passed({ checks, level }: Verdict, asked: Level | undefined): boolean {
  if (checks.some(({ result }) => result === 'failed')) return false;
  return asked === undefined
    ? level !== undefined
    : level !== undefined && LEVELS.indexOf(level) >= LEVELS.indexOf(asked);
}

/** The JSON format of shields.io (schemaVersion 1). */
function badgeOf(verdict: Verdict): object {
  const { supplier, level } = verdict;
  const color = { gold: 'gold', silver: 'silver', bronze: 'cd7f32', none: 'red' }[level ?? 'none'];
  return { schemaVersion: 1, label: supplier, message: levelText(verdict), color };
}
