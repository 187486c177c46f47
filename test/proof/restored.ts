// What the judge excuses after a restore: only what the audit reports, and only for intents that the restore hit.
import type { BookEntry, Evidence, GivenAnswer, Intent, Restore } from './evidence.js';

/** The restores that an intent was in progress at, or began shortly before: only these may have lost something of it. */
export function restoresOf({ begunAt, endedAt }: Intent, restores: readonly Restore[]): readonly Restore[] {
  return restores.filter(({ from, until }) => begunAt <= until && endedAt >= from);
}

/**
 * Whether the audit reports a reference, and with the right number if it has one. `made` is every booking of the
 * reference.
 */
export function isReported(reference: string, made: readonly BookEntry[], audited: Evidence['audited']): boolean {
  const reported = audited[reference];
  if (!reported) return false;
  return reported.number === undefined || made.some(({ confirmation }) => confirmation === reported.number);
}

/** Whether the last answer says, as it must for a lost reservation, that the outcome isn't known. */
export function isRefused({ answers }: Intent): boolean {
  const last = answers.at(-1);
  return last?.status === 500 && last.text.includes('outcome_unknown');
}

/** The answers of a key in groups that must each agree: the database may have forgotten an answer at a restore that hit it. */
export function comparable(answers: readonly GivenAnswer[], hits: readonly Restore[]): readonly GivenAnswer[][] {
  const restoresBefore = ({ at = Number.POSITIVE_INFINITY }: GivenAnswer): number =>
    hits.filter(({ until }) => at >= until).length;
  return [...Map.groupBy(answers, restoresBefore).values()];
}
