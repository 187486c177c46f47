import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database } from './database.js';

/** An event with its seal, as texts. Members of the seal are null without one, members of the event if it is missing. */
export interface SealedEvent {
  readonly sequence: number | null;
  readonly sealed: string | null;
  readonly contents: string | null;
  readonly origin: string | null;
  readonly hash: string | null;
  readonly id: string | null;
  /** UTC, with microseconds. */
  readonly at: string;
  readonly environment: string | null;
  readonly actor: string;
  readonly channel: string | null;
  readonly agent: string | null;
  readonly action: string;
  readonly subjectKind: string | null;
  readonly subject: string;
  readonly requestId: string | null;
  readonly salt: string | null;
  /** JSON as it was stored. */
  readonly before: string | null;
  readonly after: string | null;
  readonly reason: string | null;
  readonly addressSalt: string | null;
  readonly address: string | null;
}

/** A seal that a gateway signed. */
interface Checkpoint extends Seal {
  readonly signature: string;
}

/** The result of a verification. */
export interface Verdict {
  /** How many events agree with their seals. */
  readonly events: number;
  /** Those of them whose contents or address were erased, with an account. */
  readonly erased: number;
  readonly checkpoints: number;
  /** The last seal; undefined for an empty log. Noted outside the database, it shows later whether the end was deleted. */
  readonly head: Seal | undefined;
  /** The first thing that is wrong; undefined = nothing. `sequence` is null for an event without a seal. */
  readonly problem: Problem | undefined;
}

/** What is wrong, in a sentence, and where. */
export interface Problem {
  readonly sequence: number | null;
  /** Id of the event. */
  readonly event: string | null;
  readonly message: string;
}

/** What to verify. */
interface Verification {
  /** At least so many of the newest events, from a checkpoint before them. Default: everything. */
  readonly newest?: number;
  /** A seal that the log had earlier. */
  readonly noted?: Seal | undefined;
}

/** A place of the chain, and its hash. */
export interface Seal {
  readonly sequence: number;
  readonly hash: string;
}

/** Where a verification starts; the beginning of the log has the sequence 0 and no hash. */
interface Start {
  readonly sequence: number;
  readonly hash: string | null;
}

const BEGINNING: Start = { sequence: 0, hash: null };
const WRONG_SIGNATURE =
  'the signature of its checkpoint is wrong: it was changed, or FORECOURT_SECRET was, without the previous one in FORECOURT_OTHER_SECRET';
const PAGE = 500;
const UNSEALED_PAGE = 5_000;
/** Ids are in the order of insertion, places in that of commits: an event may come after others although its id is smaller by so much. */
const OUT_OF_ORDER = 1_000;

/** The digest of the database function audit_digest: SHA-256 of a JSON array of texts, in hexadecimal. */
export function auditDigest(parts: readonly (string | null)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The signature of a checkpoint. */
export function signCheckpoint(key: KeyObject, { sequence, hash }: Seal): string {
  return createHmac('sha256', key).update(`${sequence}:${hash}`).digest('base64url');
}

function isSigned(checkpoint: Checkpoint, keys: readonly KeyObject[]): boolean {
  const signature = Buffer.from(checkpoint.signature);
  return keys.some((key) => {
    const expected = Buffer.from(signCheckpoint(key, checkpoint));
    return expected.length === signature.length && timingSafeEqual(expected, signature);
  });
}

/** Events with their seals, in order of sequence, starting after `sequence`; up to `limit`. */
export async function sealedEvents(
  database: Pick<Database, 'rows'>,
  sequence: number,
  limit: number,
): Promise<readonly SealedEvent[]> {
  return await database.rows<SealedEvent>(sql`
    select s.sequence::float8 as sequence, s.event_id::text as sealed, s.contents, s.origin, s.hash, ${COLUMNS}
    from audit_seals s left join audit_events e on e.id = s.event_id
    where s.sequence > ${sequence} order by s.sequence limit ${limit}`);
}

/** The columns of an event `e` as texts. */
export const COLUMNS =
  sql.raw(`e.id::text as id, to_char(e.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at,
  e.environment, e.actor, e.channel, e.agent, e.action, e.subject_kind as "subjectKind", e.subject, e.request_id as "requestId",
  e.salt, e.before::text as before, e.after::text as after, e.reason, e.address_salt as "addressSalt", e.address`);

/**
 * Computes the chain again, and compares it with the events, the seals and the checkpoints of the environment of `keys`, of which one must
 * have signed them. It stops at the first difference. A wrong signature is none if a later checkpoint is right: that one proves all of the
 * chain before it, and the key of the other may have been removed. What is before the newest events isn't read, so the checkpoint that it
 * starts from, or a later one, must be right, and so must a noted seal before. Rejects with the driver's error if the database is unavailable.
 */
export async function verifyAudit(
  database: Pick<Database, 'rows'>,
  environment: string,
  keys: readonly KeyObject[],
  { newest, noted }: Verification = {},
): Promise<Verdict> {
  const start = newest === undefined ? [] : await startOf(database, environment, newest);
  const from = start[0] ?? BEGINNING;
  const signed = [...start, ...(await checkpointsAfter(database, environment, from.sequence))];
  const checkpoints = new Map(signed.map((row) => [row.sequence, row]));
  let [events, erased] = [0, 0];
  let head = BEGINNING;
  /** The first checkpoint with a wrong signature since the last one that is right. What else is wrong says more. */
  let unproven: Problem | undefined;
  const verdict = (problem?: Problem): Verdict => ({
    events,
    erased,
    checkpoints: checkpoints.size,
    head: head.hash === null ? undefined : { sequence: head.sequence, hash: head.hash },
    problem: problem === undefined || problem.sequence === unproven?.sequence ? (unproven ?? problem) : problem,
  });
  const compared = (row: Start & { readonly event: string | null }): string | undefined => {
    const checkpoint = checkpoints.get(row.sequence);
    if (checkpoint && !isSigned(checkpoint, keys))
      unproven ??= { sequence: row.sequence, event: row.event, message: WRONG_SIGNATURE };
    else if (checkpoint && checkpoint.hash !== row.hash)
      return 'its checkpoint has another hash: the chain was written again up to here';
    else if (checkpoint) unproven = undefined;
    return notedProblem(row, noted);
  };
  const earlier = await earlierProblem(database, from, noted, compared);
  if (earlier) return verdict(earlier);
  head = from;
  for (let page = await nextPage(database, head); page.length > 0; page = await nextPage(database, head)) {
    for (const row of page) {
      const next = head.sequence + 1;
      if (row.sequence !== next) return verdict(missing(next));
      const message = problemOf(row, head.hash) ?? compared({ sequence: next, hash: row.hash, event: row.sealed });
      if (message !== undefined) return verdict({ sequence: next, event: row.sealed, message });
      head = { sequence: next, hash: row.hash };
      events += 1;
      if (row.salt === null || row.addressSalt === null) erased += 1;
    }
  }
  return verdict((await unsealed(database, from)) ?? beyond([...checkpoints.keys(), noted?.sequence ?? 0], head));
}

/** What is wrong with the seal that a verification starts from, or with a noted one before it. */
async function earlierProblem(
  database: Pick<Database, 'rows'>,
  start: Start,
  noted: Seal | undefined,
  compared: (seal: Seal & { readonly event: string }) => string | undefined,
): Promise<Problem | undefined> {
  for (const sequence of [noted?.sequence ?? 0, start.sequence]) {
    if (sequence < 1 || sequence > start.sequence) continue;
    const [seal] = await database.rows<Seal & { readonly event: string }>(sql`
      select sequence::float8 as sequence, hash, event_id::text as event from audit_seals where sequence = ${sequence}`);
    if (!seal) return missing(sequence);
    const message = compared(seal);
    if (message !== undefined) return { sequence, event: seal.event, message };
  }
  return undefined;
}

/** The newest checkpoint that has at least so many seals after it; none if there is none. */
async function startOf(
  database: Pick<Database, 'rows'>,
  environment: string,
  newest: number,
): Promise<readonly Checkpoint[]> {
  return await database.rows<Checkpoint>(sql`
    select sequence::float8 as sequence, hash, signature from audit_checkpoints where environment = ${environment}
      and sequence <= (select max(sequence) from audit_seals) - ${newest} order by sequence desc limit 1`);
}

function nextPage(database: Pick<Database, 'rows'>, { sequence }: Start): Promise<readonly SealedEvent[]> {
  return sealedEvents(database, sequence, PAGE);
}

/** What is wrong with an event or its seal; undefined = nothing. */
function problemOf(row: SealedEvent, previous: string | null): string | undefined {
  if (row.id === null) return `the event ${row.sealed} is missing: it was deleted`;
  if (row.salt !== null && auditDigest([row.salt, row.before, row.after, row.reason]) !== row.contents)
    return 'before, after or reason was changed';
  if (row.salt === null && (row.before ?? row.after ?? row.reason) !== null)
    return 'before, after or reason was written again after its erasure';
  if (row.addressSalt !== null && auditDigest([row.addressSalt, row.address]) !== row.origin)
    return 'the address was changed';
  if (row.addressSalt === null && row.address !== null) return 'the address was written again after its erasure';
  if (hashOf(row, previous) !== row.hash)
    return 'a column of the event or its seal was changed, or the order of the rows, or a row was inserted before it';
  return undefined;
}

function missing(sequence: number): Problem {
  return { sequence, event: null, message: 'the seal is missing: it was deleted' };
}

function hashOf(row: SealedEvent, previous: string | null): string {
  const { sequence, id, at, environment, actor, channel, agent, action, subjectKind, subject, requestId } = row;
  const event = [id, at, environment, actor, channel, agent, action, subjectKind, subject, requestId];
  return auditDigest([previous, String(sequence), ...event, row.contents, row.origin]);
}

/**
 * The first event without a seal, among those that were recorded since the seal `start` or shortly before it: a log can have
 * millions before. An event that was added among these is found when the complete log is verified.
 */
async function unsealed(database: Pick<Database, 'rows'>, { sequence }: Start): Promise<Problem | undefined> {
  const [start] = await database.rows<{ after: number }>(
    sql`select event_id::float8 - ${OUT_OF_ORDER} as after from audit_seals where sequence = ${sequence}`,
  );
  // Ids may be negative, if someone wants to hide an event.
  let after = start?.after ?? -Number.MAX_SAFE_INTEGER;
  for (;;) {
    const [page] = await database.rows<{ last: number | null; id: string | null }>(sql`
      select max(e.id)::float8 as last, min(e.id) filter (where s.event_id is null)::text as id
      from (select id from audit_events where id > ${after} order by id limit ${UNSEALED_PAGE}) e
        left join audit_seals s on s.event_id = e.id and s.event_id > ${after}`);
    if (page?.id)
      return {
        sequence: null,
        event: page.id,
        message: 'the event has no seal: it was inserted, or its seal deleted',
      };
    if (page?.last == null) return undefined;
    after = page.last;
  }
}

function notedProblem(
  { sequence, hash }: Pick<SealedEvent, 'sequence' | 'hash'>,
  noted: Seal | undefined,
): string | undefined {
  if (sequence !== noted?.sequence || hash === noted?.hash) return undefined;
  return 'the noted seal has another hash: the chain was written again up to here';
}

/** A checkpoint or noted seal after the last one. */
function beyond(known: readonly number[], head: Start): Problem | undefined {
  const sequence = known.find((one) => one > head.sequence);
  if (sequence === undefined) return undefined;
  return { sequence, event: null, message: `the end of the log was deleted: it had the seal ${sequence}` };
}

async function checkpointsAfter(
  database: Pick<Database, 'rows'>,
  environment: string,
  after: number,
): Promise<readonly Checkpoint[]> {
  return await database.rows<Checkpoint>(sql`
    select sequence::float8 as sequence, hash, signature from audit_checkpoints
    where environment = ${environment} and sequence > ${after} order by sequence`);
}
