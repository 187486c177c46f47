import { sql } from 'drizzle-orm';
import { SessionRevokedError, TooManyChangesError } from '../../src/database/actor.js';
import { claim } from '../support/claim.js';
import { callsOnPages, OPERATOR, operatedGateway, UNRECORDED } from '../support/operated-gateway.js';
import { OPERATOR_CHANGES, REASON } from '../support/operator-calls.js';

const { database, pagesOf, changeOf, events } = operatedGateway();
/** They end something, which must always be possible. */
const ENDINGS = [
  ...['closeIncident', 'deleteAccount', 'demoteAccount', 'endMaintenance', 'removeFromBeta', 'removeSwitch'],
  ...['resetTestClock', 'resumeApplication', 'revokeAdminKey', 'revokeSecret', 'suspendApplication', 'deleteWebhook'],
];
const BUSY = { ...OPERATOR, person: { ...OPERATOR.person, accountId: 'acc_busy' } };
const REVOKED = { ...OPERATOR, person: { ...OPERATOR.person, session: { generation: -1 } } };
const DEMOTED = { ...OPERATOR, person: { ...OPERATOR.person, accountId: 'acc_demoted' } };

beforeAll(async () => {
  await database().rows(sql`insert into accounts (id, environment, name, tier, role)
    values ('acc_busy', 'sandbox', 'Grace', 'standard', 'ops'), ('acc_demoted', 'sandbox', 'Alan', 'standard', 'developer')`);
  await database().rows(sql`insert into audit_events (actor, action, subject)
    select 'acc_busy', 'tested', 'app_x' from generate_series(1, 300)`);
});

claim.each(callsOnPages(OPERATOR_CHANGES).filter(({ id }) => !UNRECORDED.includes(id)))(
  'API5',
  'A command that an operator runs on a page changes nothing once the session is revoked or the operator was demoted, nor beyond 300 changes within an hour, unless it ends something.',
  '$id: $path',
  async ({ id, path, body, environment }) => {
    const pages = pagesOf(environment);
    const values = await changeOf(id, path, body, REASON);
    const before = (await events()).length;
    const run = (caller: typeof OPERATOR) => pages.run(id, values, caller).catch((error: unknown) => error);
    expect(await run(REVOKED)).toBeInstanceOf(SessionRevokedError);
    expect(await run(DEMOTED)).toBeInstanceOf(SessionRevokedError);
    if (!ENDINGS.includes(id)) expect(await run(BUSY)).toBeInstanceOf(TooManyChangesError);
    expect((await events()).length).toBe(before);
    await pages.run(id, values, ENDINGS.includes(id) ? BUSY : OPERATOR);
    expect((await events()).length).toBeGreaterThan(before);
  },
);
