import type { Visitor } from '../../accounts/sessions.service.js';
import type { AccessRequestRow, OpenRequests } from '../../auth/access-request-list.js';
import type { Answer } from '../../http/answer.js';
import { opsPage } from '../ops/ops-page.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { Moment } from '../shell/moment.js';
import { LONGEST_TEXT } from './forms.js';

/** `refused`: the request whose form was invalid, with its form state. */
export interface ShownWithRequests {
  readonly notice?: string | undefined;
  readonly refused?: { readonly id: string; readonly state: FormState };
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
  const isOpen = open.some(({ id }) => id === refused?.id);
  return opsPage(
    {
      ...{ title: 'Production access requests', visitor, area: '/ops/access-requests', notice },
      status: refused === undefined ? 200 : 400,
    },
    <>
      <h1>Production access requests</h1>
      {refused && !isOpen && <FormProblem state={refused.state} />}
      {open.length === 0 && <p>{after === undefined ? 'No open requests.' : 'No newer open requests.'}</p>}
      {open.map((row) => (
        <Open key={row.id} row={row} after={after} state={row.id === refused?.id ? refused.state : {}} />
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

/** The path with the cursor of a page. */
function pathOf(path: string, after: string | undefined): string {
  return after === undefined ? path : `${path}?after=${after}`;
}

function Open({ row, after, state }: { row: AccessRequestRow; after: string | undefined; state: FormState }) {
  return (
    <section class="card" aria-labelledby={row.id}>
      <Request row={row} />
      <FormProblem state={state} />
      <form method="post" action={pathOf(`/ops/access-requests/${row.id}`, after)} class="stack">
        <input type="hidden" name="copied" value={row.copied} />
        <Field
          state={state}
          name="reason"
          id={`reason-${row.id}`}
          label="Reason"
          type="textarea"
          hint="Sent to the developer. Required if you reject the request."
          isOptional
          maxLength={LONGEST_TEXT}
        />
        <p class="actions">
          <button type="submit" name="decision" value="approve">
            Approve
          </button>
          <button class="danger" type="submit" name="decision" value="refuse">
            Reject
          </button>
        </p>
      </form>
    </section>
  );
}

function Request({ row }: { row: AccessRequestRow }) {
  return (
    <>
      <h3 id={row.id}>{row.applicationName}</h3>
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
