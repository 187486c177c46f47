import type { Visitor } from '../../accounts/sessions.service.js';
import type { ApplicationDetail, ApplicationRow } from '../../auth/application-admin.js';
import type { Answer } from '../../http/answer.js';
import type { UsagePoint } from '../../records/usage-reader.js';
import { CardTable } from '../shell/card-table.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { FilterForm } from '../shell/filters.js';
import { Day, Moment } from '../shell/moment.js';
import { count, ms, operationName, share } from '../usage/words.js';
import { LimitsForm, limitWords, type TierChoice } from './limits-form.js';
import { opsPage } from './ops-page.js';
import { OtherCommands } from './other-commands.js';

const DAY_MS = 86_400_000;
const OLD_SECRET_DAYS = 365;

/** An application with what only the list shows. */
export interface ListedApplication extends ApplicationRow {
  readonly accountName: string;
  /** Whether its last secret expires within a week. */
  readonly isExpiring: boolean;
}

/** Applications of all accounts. `total`: how many there are, of which `found` is a part. */
export function opsApplicationsPage(
  visitor: Visitor,
  found: readonly ListedApplication[],
  { text, total }: { readonly text: string | undefined; readonly total: number },
): Answer {
  return opsPage(
    { title: 'Applications', visitor, area: '/ops/applications' },
    <>
      <h1>Applications of all accounts</h1>
      <FilterForm action="/ops/applications" typed={{ text }} filters={[{ name: 'text', label: 'Name or id' }]}>
        <a href="/ops/applications?show=expiring">Expiring secrets</a>
      </FilterForm>
      <p class="quiet">
        {count(found.length)} of {count(total)} applications.
      </p>
      {found.length > 0 && (
        <CardTable
          label="Applications"
          columns={[
            { name: 'Application' },
            { name: 'Account' },
            { name: 'State' },
            { name: 'Tier' },
            { name: 'Secrets', kind: 'number' },
          ]}
          rows={found.map((row) => ({ key: row.applicationId, cells: listedCells(row) }))}
        />
      )}
    </>,
  );
}

/** One application: its limits, secrets without values, how it uses the API, and its suspension. */
export function opsApplicationPage(
  visitor: Visitor,
  detail: ApplicationDetail,
  usage: readonly UsagePoint[],
  {
    now,
    notice,
    state = {},
    limits = {},
    tiers,
    owner,
  }: {
    readonly now: number;
    readonly notice: string | undefined;
    readonly state: FormState | undefined;
    readonly limits: FormState | undefined;
    readonly tiers: TierChoice;
    /** The name of its account; '' = it has none. */
    readonly owner: string;
  },
): Answer {
  const { applicationId, accountId, name, clientId, products, secrets } = detail;
  const status = state.problems || limits.problems ? 400 : 200;
  return opsPage(
    { title: name, visitor, area: '/ops/applications', notice, status },
    <>
      <p class="quiet crumb">
        <a href="/ops/applications">Applications</a> / <code>{applicationId}</code>
      </p>
      <h1 class="verdict">
        {name} <StateBadge state={detail.state} />
      </h1>
      <dl class="facts">
        <dt>Account</dt>
        <dd>
          {owner}{' '}
          <a href={`/ops/applications?text=${accountId}`}>
            <code>{accountId}</code>
          </a>
        </dd>
        <dt>Client id</dt>
        <dd>
          <code>{clientId}</code>
        </dd>
        <dt>Limits</dt>
        <dd>{limitWords(tiers)}</dd>
        <dt>Products</dt>
        <dd>{products.join(', ') || 'none'}</dd>
        <dt>Requests</dt>
        <dd>
          <a href={`/ops/requests?application=${applicationId}`}>its requests</a>
        </dd>
        <dt>Changes</dt>
        <dd>
          <a href={`/ops/audit?subject=${applicationId}`}>in the audit log</a>
        </dd>
      </dl>
      {detail.state !== 'deleted' && (
        <>
          <LimitsForm applicationId={applicationId} tiers={tiers} state={limits} />
          <Suspension detail={detail} state={state} />
        </>
      )}
      <Behavior usage={usage} />
      <h2>Secrets</h2>
      <ul class="events">
        {secrets.map(({ id, createdAt, expiresAt, lastUsedAt, revokedAt }) => (
          <li key={id}>
            <code>{id}</code> made <Day at={createdAt} /> ({count((now - createdAt.getTime()) / DAY_MS)} days ago
            {revokedAt === null && now - createdAt.getTime() > OLD_SECRET_DAYS * DAY_MS && ', should be rotated'}),{' '}
            {revokedAt === null ? expiry(expiresAt, now) : 'revoked'}, last used{' '}
            {lastUsedAt === null ? 'never' : <Moment at={lastUsedAt} />}{' '}
            {revokedAt === null && <a href={`/ops/commands/revokeSecret?secret=${id}`}>Revoke…</a>}
          </li>
        ))}
      </ul>
      <OtherCommands
        of={[
          ['Create a secret', `rotateSecret?application=${applicationId}`],
          ['Set its web origins', `setApplicationOrigins?application=${applicationId}`],
          ['Its webhook endpoints', `listWebhooks?application=${applicationId}`],
          ['Add it to a Beta', `addToBeta?application=${applicationId}`],
          ['Turn two-factor authentication of its account off', `resetSecondFactor?account=${accountId}`],
          ['Delete its account', `deleteAccount?account=${accountId}`],
        ]}
      />
    </>,
  );
}

function Suspension({
  detail: { applicationId, state: current },
  state,
}: {
  detail: ApplicationDetail;
  state: FormState;
}) {
  const isActive = current === 'active';
  return (
    <form class="card" method="post" action={`/ops/applications/${applicationId}/state`}>
      <h2>{isActive ? 'Suspend' : 'Resume'}</h2>
      <p class="quiet">
        {isActive
          ? 'Its tokens are revoked within a second, and it gets no new ones. Only operators can resume it.'
          : 'It can get tokens again. The earlier ones stay revoked.'}
      </p>
      <FormProblem state={state} />
      <Field state={state} name="reason" label="Reason" hint="Other operators see it." maxLength={300} />
      <p class="actions">
        <button class={isActive ? 'danger' : ''} type="submit" name="state" value={isActive ? 'suspended' : 'active'}>
          {isActive ? 'Suspend the application' : 'Resume the application'}
        </button>
      </p>
    </form>
  );
}

/** How it used the API in the last seven days. */
function Behavior({ usage }: { usage: readonly UsagePoint[] }) {
  const all = usage.reduce((sum, { calls }) => sum + calls, 0);
  const withStatus = (from: number, to = from): number =>
    usage.reduce((sum, { status, calls }) => sum + (status >= from && status <= to ? calls : 0), 0);
  const rows = [...Map.groupBy(usage, ({ operation }) => operation)];
  return (
    <>
      <h2>Last 7 days</h2>
      <p>
        {count(all)} calls: {share(withStatus(206), all)} partial (206), {share(withStatus(400, 428), all)} rejected,{' '}
        {share(withStatus(429), all)} rate limited, {share(withStatus(500, 599), all)} failed.
      </p>
      {rows.length > 0 && (
        <CardTable
          label="Calls by operation"
          columns={[
            { name: 'Operation' },
            { name: 'Calls', kind: 'number' },
            { name: 'Mean', kind: 'number' },
            { name: 'By status', kind: 'change' },
          ]}
          rows={rows.map(([operation, points]) => ({ key: operation, cells: operationCells(operation, points) }))}
        />
      )}
    </>
  );
}

function operationCells(operation: string, points: readonly UsagePoint[]): readonly string[] {
  const calls = points.reduce((sum, point) => sum + point.calls, 0);
  const statuses = [...Map.groupBy(points, ({ status }) => status)].sort(([one], [other]) => one - other);
  return [
    operationName(operation),
    count(calls),
    ms(points.reduce((sum, point) => sum + point.durationMs, 0) / calls),
    statuses
      .map(([status, same]) => `${count(same.reduce((sum, point) => sum + point.calls, 0))} × ${status}`)
      .join(', '),
  ];
}

function listedCells({
  applicationId,
  name,
  accountName,
  accountId,
  state,
  tier,
  liveSecrets,
  isExpiring,
}: ListedApplication) {
  return [
    <>
      <a href={`/ops/applications/${applicationId}`}>{name}</a> <code>{applicationId}</code>
    </>,
    <a href={`/ops/applications?text=${accountId}`}>{accountName}</a>,
    <StateBadge state={state} />,
    tier,
    <>
      {liveSecrets} {isExpiring && <span class="badge partial">expiring</span>}
    </>,
  ];
}

function expiry(expiresAt: Date | null, now: number): string {
  if (expiresAt === null) return 'does not expire';
  const days = Math.round((expiresAt.getTime() - now) / DAY_MS);
  return days < 0 ? 'expired' : `expires in ${count(days)} days`;
}

function StateBadge({ state }: { state: string }) {
  return <span class={`badge ${state === 'active' ? 'good' : 'bad'}`}>{state}</span>;
}
