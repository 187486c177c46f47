import { z } from 'zod';
import { AuditLog } from '../../database/audit-log.js';
import { FailedExchangeLog } from '../../records/failed-exchange-log.js';
import { ApiError } from '../../status/api-error.js';
import { type AdminOperation, changes, lists, reads, wordsOf } from '../admin-operation.js';
import { cursor, limit, pageOf, printable, utcTime } from './fields.js';

const auditQuery = z.strictObject({
  limit,
  cursor,
  actor: printable(100).optional(),
  action: printable(100).optional(),
  subject: printable(200).optional(),
  since: utcTime.optional(),
});
const failuresQuery = z.strictObject({
  limit,
  cursor,
  supplier: printable(100).optional(),
  operation: printable(100).optional(),
  request: printable(200).optional(),
});
const failure = {
  ...{ id: z.int(), at: z.iso.datetime(), supplier: z.string(), operation: z.string(), cause: z.string() },
  ...{ request_id: z.string(), why: z.string(), duration_ms: z.number() },
};
const text = z.string().nullable();

/** The audit log, health, failed exchanges, and the keys of this API. */
export const recordOperations: readonly AdminOperation[] = [
  reads(
    {
      ...{ id: 'listAuditEvents', path: '/audit/events', tag: 'audit log', command: 'audit list' },
      summary: 'Changes, newest first',
    },
    auditQuery,
    pageOf({
      ...{ id: text, sequence: z.int().nullable(), at: z.string(), environment: text, actor: z.string() },
      ...{ channel: text, agent: text, address: text, action: z.string(), subject_kind: text, subject: z.string() },
      ...{ before: z.unknown(), after: z.unknown(), reason: text, request_id: text, hash: text },
    }),
    async ({ gateway: { database, config } }, { limit: most, cursor: before, since, ...of }) => {
      const at = since === undefined ? undefined : new Date(since);
      const filter = { ...of, since: at, before: idIn(before)?.toString(), limit: most + 1 };
      const rows = await new AuditLog(database, config.environment).list(filter);
      const items = rows.slice(0, most);
      return { items, next_cursor: rows.length > most ? (items.at(-1)?.id ?? null) : null };
    },
  ),
  reads(
    {
      ...{ id: 'verifyAuditLog', path: '/audit/verification', tag: 'audit log', command: 'audit verify' },
      summary: 'Compute the hash chain again; problem names the first row that is wrong',
    },
    z.strictObject({ head: printable(100).optional().describe('sequence:hash of an earlier verification.') }),
    z.strictObject({
      ...{ events: z.int(), erased: z.int(), checkpoints: z.int() },
      head: z.looseObject({}).nullable(),
      problem: z.looseObject({}).nullable(),
    }),
    async ({ command }, { head }) => {
      const { result } = await command(wordsOf('audit verify', { options: { head } }));
      const { events, erased, checkpoints, ...found } = result as Record<string, unknown>;
      return { events, erased, checkpoints, head: found.head ?? null, problem: found.problem ?? null };
    },
  ),
  reads(
    {
      ...{ id: 'exportAuditLog', path: '/audit/export', tag: 'audit log', command: 'audit export' },
      summary: 'The complete log in the order of the chain, one JSON object per line',
    },
    z.strictObject({}),
    'ndjson',
    async ({ gateway: { database, config } }) => new AuditLog(database, config.environment).export(),
  ),
  lists(
    { id: 'getHealth', path: '/health', tag: 'health', summary: 'What gw health finds', command: 'health' },
    {
      ...{ subject: z.string(), ok: z.boolean(), found: z.string() },
      since: z.string().optional(),
      todo: z.string().optional().describe('How to fix it; present if ok is false.'),
    },
  ),
  reads(
    {
      ...{ id: 'listFailedExchanges', path: '/failed-exchanges', tag: 'failed exchanges', command: '' },
      summary: 'Failed operations of suppliers of the last 24 hours, newest first',
    },
    failuresQuery,
    pageOf(failure),
    async ({ gateway: { database, config } }, { limit: most, cursor: before, request: requestId, ...of }) => {
      const log = new FailedExchangeLog(database, config);
      const rows = await log.list({ ...of, requestId, before: idIn(before) }, most + 1);
      const items = rows.slice(0, most).map(failureView);
      return { items, next_cursor: rows.length > most ? String(items.at(-1)?.id) : null };
    },
  ),
  reads(
    {
      ...{ id: 'getFailedExchange', path: '/failed-exchanges/{exchange}', tag: 'failed exchanges', command: '' },
      summary: 'A failed operation with its masked calls',
    },
    z.strictObject({}),
    z.strictObject({ ...failure, exchanges: z.array(z.looseObject({})) }),
    async ({ gateway: { database, config }, params: { exchange = '' } }) => {
      const isId = /^\d{1,15}$/.test(exchange);
      const found = isId ? await new FailedExchangeLog(database, config).find(Number(exchange)) : undefined;
      if (!found) throw ApiError.of('resource_failure', 'This exchange is not kept. Exchanges are kept for 24 hours.');
      return { ...failureView(found), exchanges: found.exchanges };
    },
  ),
  lists(
    {
      ...{ id: 'listAdminKeys', path: '/admin-keys', tag: 'keys', command: 'admin-keys list' },
      summary: 'The keys of this API',
    },
    {
      ...{ key: z.string(), name: z.string(), role: z.string(), state: z.enum(['active', 'revoked', 'expired']) },
      ...{ created: z.string(), expires: z.string(), last_used: z.string() },
    },
  ),
  changes(
    {
      ...{ id: 'revokeAdminKey', method: 'POST', path: '/admin-keys/{key}/revocation', tag: 'keys' },
      ...{ summary: 'Refuse every further call that a key signs', command: 'admin-keys revoke' },
    },
    {},
    (_body, { key = '' }) => ({ args: [key] }),
  ),
];

function failureView({ id, at, supplier, operation, cause, requestId, why, durationMs }: Failure) {
  const time = new Date(at).toISOString();
  return { id, at: time, supplier, operation, cause, request_id: requestId, why, duration_ms: durationMs };
}

type Failure = Awaited<ReturnType<FailedExchangeLog['list']>>[number];

/** Throws ApiError 400 for a cursor of another list. */
function idIn(after: string | undefined): number | undefined {
  if (after === undefined) return undefined;
  if (/^\d{1,15}$/.test(after)) return Number(after);
  throw ApiError.of('invalid_format', '"cursor" must be the next_cursor of the page before.', { field: 'cursor' });
}
