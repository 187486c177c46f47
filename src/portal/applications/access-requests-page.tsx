import type { Visitor } from '../../accounts/sessions.service.js';
import type { AccessRequestRow, OpenRequests } from '../../auth/access-request-list.js';
import type { Answer } from '../../http/answer.js';
import { opsPage } from '../ops/ops-page.js';
import { FormProblem, type FormState } from '../shell/field.js';
import { Moment } from '../shell/moment.js';

/** `refused`: why a decision isn't possible, about a request that is no longer open. */
export interface ShownWithRequests {
  readonly notice?: string | undefined;
  readonly refused?: FormState;
}

/** `after` is the cursor of this page, undefined on the first one, and `rows` its open requests, oldest first. */
interface RequestsShown extends OpenRequests {
  readonly after: string | undefined;
  /** Newest first. */
  readonly decided: readonly AccessRequestRow[];
}

/** Open and decided production access requests, for operators. */
export function accessRequestsPage(
  visitor: Visitor,
  { rows: open, next, after, decided }: RequestsShown,
  { notice, refused }: ShownWithRequests,
): Answer {
  return opsPage(
    {
      ...{ title: 'Production access requests', visitor, area: '/ops/access-requests', notice },
      status: refused === undefined ? 200 : 400,
    },
    <>
      <h1>Production access requests</h1>
      {refused && <FormProblem state={refused} />}
      {open.length === 0 && <p>{after === undefined ? 'No open requests.' : 'No newer open requests.'}</p>}
      {open.map((row) => (
        <Open key={row.id} row={row} after={after} />
      ))}
      {(after !== undefined || next !== undefined) && (
        <p class="actions">
          {after !== undefined && <a href="/ops/access-requests">Oldest</a>}
          {next !== undefined && (
            <a class="button second" href={pathOf('/ops/access-requests', next)} rel="next">
              Newer
            </a>
          )}
        </p>
      )}
      {decided.length > 0 && <h2>Decided</h2>}
      {decided.map((row) => (
        <section class="card" key={row.id} aria-labelledby={row.id}>
          <Request row={row} />
          <p class="described">
            <span class={row.state === 'approved' ? 'badge good' : 'badge bad'}>
              {row.state === 'approved' ? 'Approved' : 'Rejected'}
            </span>{' '}
            {row.decidedAt !== null && <Moment at={row.decidedAt} />} {row.decision}
          </p>
        </section>
      ))}
    </>,
  );
}

/** The path with the cursor of a page of the list; undefined = the first one. */
export function pathOf(path: string, after: string | undefined): string {
  return after === undefined ? path : `${path}?after=${after}`;
}

function Open({ row, after }: { row: AccessRequestRow; after: string | undefined }) {
  return (
    <section class="card" aria-labelledby={row.id}>
      <Request row={row} />
      <p class="actions">
        <a
          class="button"
          href={pathOf(`/ops/access-requests/${row.id}`, after)}
          aria-label={`Review ${row.applicationName}`}
        >
          Review
        </a>
      </p>
    </section>
  );
}

/** What was requested, by whom. */
export function Request({ row }: { row: AccessRequestRow }) {
  return (
    <>
      <h2 id={row.id}>{row.applicationName}</h2>
      <p class="described">{row.message}</p>
      <dl class="facts">
        <dt>Requested</dt>
        <dd>
          <Moment at={row.requestedAt} />
        </dd>
        <dt>Account</dt>
        <dd>
          {row.accountName} {row.email !== null && `(${row.email})`} <code>{row.accountId}</code>
        </dd>
        <dt>Application</dt>
        <dd>
          <code>{row.applicationId}</code>
        </dd>
        <dt>Description</dt>
        <dd>{row.description || 'none'}</dd>
        <dt>Redirect URL</dt>
        <dd>{row.redirectUrl ?? 'none'}</dd>
        <dt>Tier</dt>
        <dd>{row.tier}</dd>
        <dt>Subscriptions</dt>
        <dd>{row.products.join(', ') || 'none'}</dd>
        {row.state === 'requested' && row.productionApplicationId !== null && (
          <>
            <dt>Production application</dt>
            <dd>
              <code>{row.productionApplicationId}</code>, subscribed to{' '}
              {row.productionProducts.join(', ') || 'no products'}. Approval replaces its subscriptions and changes
              nothing else.
            </dd>
          </>
        )}
      </dl>
    </>
  );
}
