import type { Logger } from 'pino';
import { sourceLines } from '../config/source-lines.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { accountVotes } from '../metrics/account-votes.js';
import { failedExchanges, type MaskedExchange } from '../metrics/failed-exchanges.js';
import { countWarnings, observeCutOff, observeSupplier } from '../metrics/metrics.js';
import { FURTHER_ACCOUNTS, serviceCounts } from '../metrics/service-counts.js';
import { type CallVerdict, sloCounts } from '../metrics/slo-counts.js';
import { supplierTallies } from '../metrics/supplier-tallies.js';
import { SupplierError } from '../model/supplier.js';
import type { Warning } from '../model/warnings.js';
import { maskedText } from '../privacy/masked-text.js';
import { secretsIn } from '../privacy/scrub.js';
import { inTurns } from './answers/turns.js';
import { failureKind } from './failure-kind.js';
import type { CallObserver } from './fan-out.js';
import { isUnspeakable, maskExchange } from './mask-exchange.js';
import type { ObservedCall, SupplierRef } from './outcome.js';
import { CallRejectedError } from './resilience/call-rejected.js';

const LONGEST_WHY = 300;
/** Failed operations whose exchanges wait to be masked. Each holds up to four answers. */
const MOST_WAITING = 8;
/** A supplier that sends the same bad rows in every answer must not flood the log. */
const WARNINGS_EVERY_MS = 60_000;
const MOST_WARNING_TEXTS = 3;
/** Shorter texts, such as country codes, are parts of other words. */
const SHORTEST_PERSONAL = 3;

/**
 * Counts each call and logs each failure, with the request and application that made the call. What a supplier says is
 * masked: card numbers, email addresses, the supplier's credentials, and everything that the call knows about the renter. All warnings are counted;
 * for each supplier, operation and kind, those of one answer per minute are logged.
 */
export function supplierLog(logger: Logger): CallObserver {
  const noteWarnings = warningLog(logger);
  /** Masks failed exchanges one after another; `waiting` of them hold their answers meanwhile. */
  let kept = Promise.resolve();
  let waiting = 0;
  return {
    settled: (call, outcome, durationMs, error, warnings = [], sent = []) => {
      const { supplier, operation, brand, requestId, traceId, application, renter } = call;
      observeSupplier(supplier.id, operation, outcome, durationMs);
      const verdict = call.isStaged ? 'none' : verdictOf(error);
      if (verdict !== 'none') {
        sloCounts.call(supplier.id, operation, outcome, verdict, durationMs);
        accountVotes.count(supplier.id, 'calls', call.account, verdict === 'bad');
        const account = call.account ?? (application === undefined ? undefined : FURTHER_ACCOUNTS);
        serviceCounts.count(`supplier:${supplier.id}`, operation, verdict === 'bad', account);
      }
      const cause = error === undefined ? outcome : failureKind(error, sent.at(-1)?.answer?.status);
      const counted = { supplier: supplier.id, operation, application };
      supplierTallies.call(counted, cause, error !== undefined && cause !== 'refused', Date.now(), durationMs);
      if (warnings.length > 0) noteWarnings(call, warnings);
      if (error === undefined) return;
      // Counted by the policy. A line per call would flood the log exactly when an operator needs it.
      if (error instanceof CallRejectedError) return;
      const personal = textsIn(renter);
      const message = error instanceof Error ? error.message : String(error);
      const why = maskedText(message, LONGEST_WHY, personal, secretsOf(supplier));
      if (cause !== 'refused' && waiting < MOST_WAITING && failedExchanges.wants(supplier.id, operation, cause)) {
        const failure = {
          ...{ at: Date.now(), supplier: supplier.id, operation, cause, requestId, durationMs },
          why: isUnspeakable(operation, personal) ? cause : why,
        };
        const confidential = { credentials: credentialsOf(supplier), renter: personal };
        const keep = async () => {
          const exchanges: MaskedExchange[] = [];
          const mask = (one: (typeof sent)[number]) => void exchanges.push(maskExchange(one, operation, confidential));
          await inTurns(sent, mask, { account: call.account });
          failedExchanges.put({ ...failure, exchanges });
        };
        // One exchange takes up to 20 ms, and several calls may fail together.
        waiting += 1;
        kept = kept
          .then(keep)
          .catch((reason: unknown) => logger.error({ err: reason }, 'failed exchange not kept'))
          .finally(() => {
            waiting -= 1;
          });
      }
      const origin = { requestId, traceId, application };
      const fields = { ...origin, supplier: supplier.id, operation, brand, outcome, ms: durationMs };
      // A fault of the supplier is a warning; anything else is a bug in the adapter.
      if (error instanceof SupplierError) logger.warn({ ...fields, fault: error.fault, why }, 'supplier failed');
      else logger.error({ ...fields, why, at: framesOf(error) }, 'adapter failed');
    },
    cutOff: ({ supplier, operation }) => observeCutOff(supplier.id, operation),
  };
}

/**
 * A clear refusal (sold out) is an answer. Calls that this gateway rejected, and those that no request waited for, say
 * nothing about the supplier, except those of an open breaker: it is open because the supplier fails.
 */
function verdictOf(error: unknown): CallVerdict {
  if (!(error instanceof SupplierError)) return error === undefined ? 'good' : 'bad';
  const { fault, refusal } = error;
  if (refusal !== undefined || fault === 'rejected') return 'good';
  return fault === 'cancelled' || (error instanceof CallRejectedError && fault !== 'circuit_open') ? 'none' : 'bad';
}

function warningLog(logger: Logger): (call: ObservedCall, warnings: readonly Warning[]) => void {
  const loggedAt = new Map<string, number>();
  return ({ supplier, operation, brand, requestId, traceId, application, renter }, warnings) => {
    for (const [kind, ofKind] of Map.groupBy(warnings, (warning) => warning.kind)) {
      const times = ofKind.reduce((sum, warning) => sum + warning.times, 0);
      countWarnings(supplier.id, operation, kind, times);
      const key = `${supplier.id} ${operation} ${kind}`;
      const now = performance.now();
      if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < WARNINGS_EVERY_MS) continue;
      loggedAt.set(key, now);
      const personal = textsIn(renter);
      const secrets = secretsOf(supplier);
      const texts = ofKind
        .slice(0, MOST_WARNING_TEXTS)
        .map(({ text }) => maskedText(text, LONGEST_WHY, personal, secrets));
      const fields = { requestId, traceId, application, supplier: supplier.id, operation, brand };
      logger.warn({ ...fields, kind, times, texts }, 'supplier answered with doubtful data');
    }
  };
}

type Configured = SupplierRef & { readonly config?: Pick<SupplierConfig, 'credentials'> };

function credentialsOf(supplier: Configured): SupplierConfig['credentials'] {
  return supplier.config?.credentials ?? {};
}

/** The credentials of a supplier that may be in what it says, the longest first; without those that may be words. */
function secretsOf(supplier: Configured): string[] {
  return textsIn(secretsIn(credentialsOf(supplier)).flatMap(({ text, mayBeWord }) => (mayBeWord ? [] : [text])));
}

/** All texts of a value, the longest first, so that no part of one remains. */
function textsIn(value: unknown): string[] {
  const texts: string[] = [];
  const visit = (member: unknown): void => {
    if (typeof member === 'string' && member.length >= SHORTEST_PERSONAL) texts.push(member);
    if (typeof member === 'object' && member !== null) for (const inner of Object.values(member)) visit(inner);
  };
  visit(value);
  return texts.sort((one, other) => other.length - one.length);
}

/** The stack without the message, which may quote the supplier. */
function framesOf(error: unknown): readonly string[] | undefined {
  if (!(error instanceof Error) || error.stack === undefined) return undefined;
  return sourceLines(error.stack)
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());
}
