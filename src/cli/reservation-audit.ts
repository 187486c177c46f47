import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { AuditList } from '../reservations/audit-list.js';
import { type AuditVerdict, type Intent, type Judged, judge, withEntry } from '../reservations/audit-rules.js';
import { journalFolderOf } from '../reservations/intent-journal.js';
import { entriesIn } from '../reservations/journal-folder.js';
import type { Reservation } from '../reservations/reservation.js';
import { keptSince } from '../reservations/sandbox-retention.js';
import { SupplierBook } from './audit-book.js';
import type { CommandRun } from './command-run.js';
import { printRows } from './table.js';

/** How `gw reservation audit` was called. */
export interface AuditOptions {
  readonly since: string;
  readonly journal?: readonly string[];
  readonly rate: string;
  readonly json?: boolean;
}

/** One reference to compare; either of the two is defined. */
interface Subject {
  readonly here?: Reservation;
  readonly intent?: Intent;
}

/** One line of the report; `here` is the state in the database, null = none. */
interface AuditRow extends Judged {
  readonly reference: string;
  readonly supplier: string;
  readonly application: string;
  readonly here: string | null;
  readonly number: string | null;
}

const PROGRESS_EVERY_MS = 2_000;
const FINE: readonly AuditVerdict[] = ['agrees', 'cannot check'];

/**
 * Compares the reservations since an instant, and those that only the journal has, with the suppliers' books. It changes
 * nothing. Prints a line for each that isn't in agreement, then a count of all verdicts; with `json`, every line. The
 * exit code is 1 if something must be corrected. Throws an Error for an invalid option.
 */
export async function auditReservations(
  { since: text, journal, rate, json }: AuditOptions,
  run: CommandRun,
): Promise<void> {
  const since = instantOf(text);
  const perSecond = Number(rate);
  if (!(perSecond > 0 && perSecond <= 100)) throw new Error('--rate must be a number from above 0 to 100');
  const { subjects, suppliers, environment } = await run.gateway(
    async ({ config, keys, database, suppliersToCall }) => {
      const own = journalFolderOf(config);
      const folders = journal?.map((folder) => resolve(run.workingFolder, folder)) ?? (own === undefined ? [] : [own]);
      if (folders.length === 0) run.tell('the journal is off: only reservations in the database are compared');
      // What the sandbox deleted isn't lost.
      const kept = Math.max(since, keptSince(config, database.clock.now()));
      const intents = await readIntents(folders, kept, config.environment, run);
      const list = new AuditList(database, config, keys);
      return {
        subjects: await subjectsOf(list, since, intents),
        suppliers: suppliersToCall(),
        environment: config.environment,
      };
    },
  );
  const rows = await compare(subjects, suppliers, { environment, pauseMs: 1_000 / perSecond, run });
  report(rows, json === true, run);
  if (rows.some(({ verdict }) => !FINE.includes(verdict))) run.fail();
}

/** What is here, and what only the journal has. */
async function subjectsOf(
  list: AuditList,
  since: number,
  intents: ReadonlyMap<string, Intent>,
): Promise<readonly Subject[]> {
  const subjects = new Map<string, Subject>();
  const add = (here: Reservation): void => {
    const intent = intents.get(here.id);
    subjects.set(here.id, intent ? { here, intent } : { here });
  };
  for await (const here of list.since(since)) add(here);
  for await (const here of list.named([...intents.keys()].filter((id) => !subjects.has(id)))) add(here);
  for (const [reference, intent] of intents) if (!subjects.has(reference)) subjects.set(reference, { intent });
  return [...subjects.values()];
}

function instantOf(text: string): number {
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(text) && !Number.isNaN(Date.parse(text)))
    return Date.parse(text);
  throw new Error('--since must be a UTC time such as 2027-01-31T04:00:00Z');
}

/** What the journals of all folders say, by reference. */
async function readIntents(
  folders: readonly string[],
  since: number,
  environment: string,
  run: CommandRun,
): Promise<ReadonlyMap<string, Intent>> {
  const intents = new Map<string, Intent>();
  let skipped = 0;
  for (const folder of folders) {
    const entries = entriesIn(folder, since, () => {
      skipped += 1;
    });
    for await (const entry of entries)
      if (entry.env === environment) intents.set(entry.ref, withEntry(intents.get(entry.ref), entry));
  }
  if (skipped > 0) run.tell(`${skipped} lines of the journal cannot be read`);
  return intents;
}

/** Asks the suppliers concurrently, each one question at a time with a pause of `pauseMs` in between. */
async function compare(
  subjects: readonly Subject[],
  suppliers: readonly SupplierConfig[],
  {
    environment,
    pauseMs,
    run,
  }: { readonly environment: 'sandbox' | 'production'; readonly pauseMs: number; readonly run: CommandRun },
): Promise<readonly AuditRow[]> {
  const rows: AuditRow[] = [];
  const progress = setInterval(
    () => run.tell(`${rows.length} of ${subjects.length} compared`),
    PROGRESS_EVERY_MS,
  ).unref();
  const bySupplier = Map.groupBy(subjects, ({ here, intent }) => here?.supplier ?? intent?.supplier ?? '');
  try {
    await Promise.all(
      [...bySupplier].map(async ([id, own]) => {
        const book = new SupplierBook(
          suppliers.find((supplier) => supplier.id === id),
          environment,
        );
        try {
          for (const { here, intent } of own) {
            const { asked, ...found } = await book.find(here, intent);
            rows.push(rowOf(id, here, intent, judge(here, intent, found)));
            if (asked) await wait(pauseMs);
          }
        } finally {
          await book.close();
        }
      }),
    );
  } finally {
    clearInterval(progress);
  }
  return rows;
}

function rowOf(
  supplier: string,
  here: Reservation | undefined,
  intent: Intent | undefined,
  { verdict, note }: Judged,
): AuditRow {
  return {
    reference: here?.id ?? intent?.reference ?? '',
    supplier,
    application: here?.applicationId ?? intent?.applicationId ?? '',
    verdict,
    here: here?.state ?? null,
    number: here?.confirmationNumber ?? intent?.number ?? null,
    note,
  };
}

function report(rows: readonly AuditRow[], json: boolean, run: CommandRun): void {
  if (json) {
    run.print(JSON.stringify(rows, null, 2));
  } else {
    const cells = rows
      .filter(({ verdict }) => verdict !== 'agrees')
      .map(({ verdict, reference, supplier, number, here, application, note }) => [
        ...[verdict, reference, supplier, number ?? '-', here ?? '-', application, note],
      ]);
    printRows(run, ['verdict', 'reference', 'supplier', 'number', 'here', 'application', 'note'], cells, false);
  }
  const counts = [...Map.groupBy(rows, ({ verdict }) => verdict)].map(([verdict, same]) => `${same.length} ${verdict}`);
  run.tell(`${rows.length} compared: ${counts.join(', ') || 'nothing'}`);
}
