import type { ApplicationCalls } from '../../records/supplier-timeline.js';
import { weightOf } from './diagnosis.js';
import type { Finding, Reason } from './evidence.js';
import type { Who } from './failure-words.js';

/** One thing that is wrong with a supplier, in all operations that have it. */
export interface Problem {
  readonly supplier: string;
  readonly kind: string;
  readonly who: Who;
  readonly reason: Reason | undefined;
  /** By operation, the most urgent first; at least one. */
  readonly parts: readonly Finding[];
  /** The earliest of all parts; undefined = longer ago than is known. */
  readonly since: number | undefined;
  /** The first minute that all parts count (Finding.countedFrom); what is said about calls counts from it. Undefined = unknown. */
  readonly countedFrom: number | undefined;
  /** Whether some calls aren't sent at the moment because of it. */
  readonly isBlocked: boolean;
}

/** An application that calls a supplier, with its calls of what has a problem. */
export interface AffectedApplication {
  /** '' = others, or background work. */
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  /** Calls that were affected; those that weren't sent because of it are included. */
  readonly affected: number;
}

/** Puts findings of the same kind together: a supplier that is down fails every operation. Without those that
 * are consequences of others, the most urgent first. */
export function problemsOf(findings: readonly Finding[]): readonly Problem[] {
  const problems = [
    ...Map.groupBy(findings, ({ supplier, kind, who }) => `${supplier}|${kind}|${who}`).values(),
  ].flatMap((parts): Problem[] => {
    const [first] = parts;
    if (!first) return [];
    const { supplier, kind, who } = first;
    const begun = parts.map(({ since }) => since);
    const reason = parts.find((part) => part.reason !== undefined)?.reason;
    const since = begun.includes(undefined) ? undefined : Math.min(...begun.map((at) => at ?? 0));
    const from = parts.flatMap((part) => part.countedFrom ?? part.since ?? []);
    const countedFrom = from.length === 0 ? undefined : Math.max(...from);
    return [
      { supplier, kind, who, reason, parts, since, countedFrom, isBlocked: parts.some((part) => part.isBlocked) },
    ];
  });
  return problems
    .filter((problem) => !isConsequence(problem, problems))
    .sort((one, other) => urgencyOf(other) - urgencyOf(one));
}

function urgencyOf({ parts }: Problem): number {
  return Math.max(...parts.map(weightOf));
}

/** What fills our queue and uses up our quota. */
const FILLS = new Set(['timeout', 'slow', 'throttled']);

/** Calls that wait for the end of a pause are answered late, or not in time. */
const WAITS = new Set(['timeout', 'slow']);
const MOST = 0.5;

/**
 * Not a problem of its own: a limit that is reached because the supplier keeps calls waiting, and calls that are late because
 * the supplier limits most calls of the same operation.
 */
function isConsequence({ kind, supplier, parts }: Problem, all: readonly Problem[]): boolean {
  const others = all.filter((other) => other.supplier === supplier);
  if (kind === 'own_limit') return others.some((other) => FILLS.has(other.kind));
  if (!WAITS.has(kind)) return false;
  const limited = others.filter((other) => other.kind === 'throttled').flatMap((other) => other.parts);
  return parts.every((part) => limited.some((one) => one.operation === part.operation && one.share >= MOST));
}

/** Kinds that no failed call shows. */
export const COMPARED = new Set(['slow', 'empty', 'price', 'drift']);
/** Kinds that no call of an application shows. */
const UNSEEN = new Set(['slow', 'price', 'drift']);

/**
 * Who calls the supplier, those whom the problem affects most first. Of slow and wrongly priced answers, every call of
 * the operation counts as affected.
 */
export function affectedApplications(
  { kind, parts }: Problem,
  rows: readonly ApplicationCalls[],
): readonly AffectedApplication[] {
  const operations = new Set(parts.map(({ operation }) => operation));
  const isAffected = ({ operation, cause }: ApplicationCalls): boolean =>
    operations.has(operation) && (UNSEEN.has(kind) || cause === kind || cause === 'circuit_open');
  const sum = (own: readonly ApplicationCalls[]): number => own.reduce((total, { calls }) => total + calls, 0);
  return [...Map.groupBy(rows, ({ applicationId }) => applicationId)]
    .map(([id, own]) => ({
      id,
      name: own[0]?.name || id,
      calls: sum(own.filter(({ operation }) => operations.has(operation))),
      affected: sum(own.filter(isAffected)),
    }))
    .sort((one, other) => other.affected - one.affected);
}

/** Whether bookings fail as a consequence: each needs a price check. */
export function blocksBookings({ parts }: Problem): boolean {
  const check = parts.find(({ operation, kind }) => operation === 'priceCheck' && !COMPARED.has(kind));
  return check !== undefined && check.share >= 0.5 && !parts.some(({ operation }) => operation === 'book');
}
