import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { type AdminOperation, changes, lists, reads, wordsOf } from '../admin-operation.js';
import { cursor, limit, pageOf, printable, utcTime } from './fields.js';
import { anywhere, cursorColumn, olderThan, pageFrom } from './keyset.js';

const [a, c] = [sql.raw('a'), sql.raw('c')];
const listQuery = z.strictObject({
  limit,
  cursor,
  text: printable(100).optional().describe('An id, or a part of a name or email address.'),
});
const applicationsQuery = z.strictObject({ ...listQuery.shape, account: printable(100).optional() });
const ACCOUNT = '/accounts/{account}';
const APPLICATION = '/applications/{application}';

/** Accounts, applications and their secrets, and production access requests. */
export const accountOperations: readonly AdminOperation[] = [
  reads(
    {
      ...{ id: 'listAccounts', path: '/accounts', tag: 'accounts', command: 'accounts list' },
      summary: 'Accounts with a login, newest first',
    },
    listQuery,
    pageOf({
      ...{ account: z.string(), email: z.string(), name: z.string(), role: z.string() },
      is_active: z.boolean(),
    }),
    async ({ gateway: { database, config } }, { limit: most, cursor: after, text }) => {
      const like = anywhere(text ?? '');
      const rows = await database.reports.rows<{ readonly cursor: string }>(sql`
        select c.id as account, c.email, c.name, c.role, c.verified_at is not null as is_active, ${cursorColumn(c)}
        from accounts c where c.environment = ${config.environment} and c.email is not null and ${olderThan(after, c)}
          and ${text === undefined ? sql`true` : sql`(c.id = ${text} or c.name ilike ${like} or c.email ilike ${like})`}
        order by c.created_at desc, c.id desc limit ${most + 1}`);
      return pageFrom(rows, most);
    },
  ),
  changes(
    {
      ...{ id: 'createOperator', method: 'POST', path: '/accounts', tag: 'accounts', command: 'accounts create-ops' },
      summary: 'Create an operator account; the answer has the link to set its password',
      isOnlyOnPages: true,
    },
    { email: printable(254), name: printable(100).default('Ops') },
    ({ email, name }) => ({ options: { name }, args: [email] }),
  ),
  ...(
    [
      ['promoteAccount', 'promotion', 'accounts promote', 'Make an account an operator'],
      ['demoteAccount', 'demotion', 'accounts demote', 'Make an operator a developer'],
      ['resetSecondFactor', 'second-factor-reset', 'accounts reset-factor', 'Turn off two-factor authentication'],
    ] as const
  ).map(([id, step, command, summary]) =>
    changes(
      {
        ...{ id, method: 'POST', path: `${ACCOUNT}/${step}`, tag: 'accounts', command, summary },
        isOnlyOnPages: step === 'promotion',
      },
      {},
      (_body, { account = '' }) => ({ args: [account] }),
    ),
  ),
  changes(
    {
      ...{ id: 'deleteAccount', method: 'POST', path: `${ACCOUNT}/deletion`, tag: 'accounts' },
      ...{ summary: 'Delete an account with its applications', command: 'accounts delete' },
    },
    {},
    (_body, { account = '' }) => ({ options: { yes: true }, args: [account] }),
  ),
  reads(
    {
      ...{ id: 'listApplications', path: '/applications', tag: 'applications', command: 'apps list' },
      summary: 'Applications, newest first',
    },
    applicationsQuery,
    pageOf({
      ...{ application: z.string(), account: z.string(), name: z.string(), client_id: z.string() },
      ...{ tier: z.string(), state: z.string(), live_secrets: z.int() },
    }),
    async ({ gateway: { database, config } }, { limit: most, cursor: after, text, account }) => {
      const rows = await database.reports.rows<{ readonly cursor: string }>(sql`
        select a.id as application, a.account_id as account, a.name, a.client_id, a.tier, a.state,
          (select count(*)::int from client_secrets s where s.application_id = a.id and s.revoked_at is null
            and (s.expires_at is null or s.expires_at > now())) as live_secrets, ${cursorColumn(a)}
        from applications a where a.environment = ${config.environment} and ${olderThan(after, a)}
          and ${account === undefined ? sql`true` : sql`a.account_id = ${account}`}
          and ${text === undefined ? sql`true` : sql`(a.id = ${text} or a.client_id = ${text} or a.name ilike ${anywhere(text)})`}
        order by a.created_at desc, a.id desc limit ${most + 1}`);
      return pageFrom(rows, most);
    },
  ),
  reads(
    {
      ...{ id: 'getApplication', path: APPLICATION, tag: 'applications', command: 'apps show' },
      summary: 'One application with its products and the dates of its secrets',
    },
    z.strictObject({}),
    z.strictObject({ application: z.looseObject({}) }),
    async ({ params: { application = '' }, command }) => ({
      application: (await command(wordsOf('apps show', { args: [application] }))).result,
    }),
  ),
  changes(
    {
      ...{ id: 'createApplication', method: 'POST', path: '/applications', tag: 'applications' },
      ...{ summary: 'Create an application; its secret is in the answer', command: 'apps create' },
    },
    {
      name: printable(100),
      account: printable(100).optional().describe('The account that owns it; default: a new one.'),
      tier: printable(100).default('standard'),
      products: z.array(printable(100)).min(1).max(50).optional().describe('Default: all.'),
    },
    ({ name, account, tier, products }) => ({
      options: { account, tier, products: products?.join(',') },
      args: [name],
    }),
  ),
  ...(
    [
      ['suspendApplication', 'suspension', 'apps suspend', 'Reject its credentials and revoke its tokens'],
      ['resumeApplication', 'resumption', 'apps resume', 'Allow a suspended application to get tokens again'],
    ] as const
  ).map(([id, step, command, summary]) =>
    changes(
      { id, method: 'POST', path: `${APPLICATION}/${step}`, tag: 'applications', command, summary },
      {},
      (_body, { application = '' }) => ({ args: [application] }),
    ),
  ),
  ...(
    [
      ['setApplicationTier', APPLICATION, 'apps tier', 'Set the limits of an application and of its tokens'],
      ['setAccountTier', ACCOUNT, 'accounts tier', 'Set the limits that all applications of an account share'],
    ] as const
  ).map(([id, subject, command, summary]) =>
    changes(
      {
        id,
        method: 'PUT',
        path: `${subject}/tier`,
        tag: command.startsWith('apps') ? 'applications' : 'accounts',
        command,
        summary,
      },
      { tier: printable(100).describe('A tier of config/tiers.yaml.') },
      ({ tier }, { application, account }) => ({ args: [application ?? account ?? '', tier] }),
    ),
  ),
  changes(
    {
      ...{ id: 'setApplicationOrigins', method: 'PUT', path: `${APPLICATION}/origins`, tag: 'applications' },
      ...{ summary: 'Set the web origins whose pages may read answers; [] = no page', command: 'apps origins' },
    },
    { origins: z.array(printable(300)).max(10) },
    ({ origins }, { application = '' }) => ({ args: [application, ...origins] }),
  ),
  reads(
    {
      ...{ id: 'getTestClock', path: `${APPLICATION}/clock`, tag: 'applications', command: 'clock show' },
      summary: 'The test clock of an application, in the sandbox',
    },
    z.strictObject({}),
    z.strictObject({ clock: z.looseObject({}) }),
    async ({ params: { application = '' }, command }) => ({
      clock: (await command(wordsOf('clock show', { args: [application] }))).result,
    }),
  ),
  changes(
    {
      ...{ id: 'moveTestClock', method: 'PUT', path: `${APPLICATION}/clock`, tag: 'applications' },
      ...{ summary: 'Move a test clock forward, or set only its outcome; in the sandbox', command: 'clock move' },
    },
    { to: utcTime.optional(), outcome: z.enum(['completed', 'no_show']).optional().describe('Default: as it is.') },
    ({ to, outcome }, { application = '' }) => ({ options: { to, outcome }, args: [application] }),
  ),
  changes(
    {
      ...{ id: 'resetTestClock', method: 'POST', path: `${APPLICATION}/clock/reset`, tag: 'applications' },
      ...{ summary: 'Turn off the test clock of an application', command: 'clock reset' },
    },
    {},
    (_body, { application = '' }) => ({ args: [application] }),
  ),
  changes(
    {
      ...{ id: 'rotateSecret', method: 'POST', path: `${APPLICATION}/secrets`, tag: 'applications' },
      ...{ summary: 'Create a secret, which is in the answer; older ones expire', command: 'secrets rotate' },
    },
    { overlap_hours: z.number().min(0).max(8_760).default(24).describe('How long older secrets stay valid.') },
    ({ overlap_hours }, { application = '' }) => ({
      options: { overlap: String(overlap_hours) },
      args: [application],
    }),
  ),
  changes(
    {
      ...{ id: 'revokeSecret', method: 'POST', path: '/secrets/{secret}/revocation', tag: 'applications' },
      ...{ summary: 'Revoke a secret and its tokens', command: 'secrets revoke' },
    },
    {},
    (_body, { secret = '' }) => ({ args: [secret] }),
  ),
  lists(
    {
      ...{ id: 'listAccessRequests', path: '/access-requests', tag: 'access requests' },
      ...{ summary: 'Open requests and the newest decided ones', command: 'access-requests list' },
    },
    {
      ...{ request: z.string(), state: z.enum(['requested', 'approved', 'rejected']), application: z.string() },
      ...{ name: z.string(), account: z.string(), products: z.string(), message: z.string() },
      copied: z.string().describe('Changes with what approval copies to production.'),
    },
  ),
  changes(
    {
      ...{ id: 'approveAccessRequest', method: 'POST', path: '/access-requests/{request}/approval' },
      ...{ tag: 'access requests', summary: 'Approve a request; in production', command: 'access-requests approve' },
    },
    { copied: printable(100).describe('As in the list: what changed since then is not approved.') },
    ({ copied }, { request = '' }) => ({ options: { copied }, args: [request] }),
  ),
  changes(
    {
      ...{ id: 'rejectAccessRequest', method: 'POST', path: '/access-requests/{request}/rejection' },
      ...{ tag: 'access requests', summary: 'Reject a request; in production', command: 'access-requests reject' },
    },
    {},
    (_body, { request = '' }) => ({ args: [request] }),
  ),
];
