import type { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { AccessRequestRow } from '../../auth/access-request-list.js';
import type { Answer } from '../../http/answer.js';
import { opsPage } from '../ops/ops-page.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { pathOf, Request } from './access-requests-page.js';
import type { Certification } from './certification/certification.js';
import { CertificationTable } from './certification/certification-table.js';
import { type decisionForm, LONGEST_TEXT } from './forms.js';

const LIST = '/ops/access-requests';

/** An open request and the page of the list it is on. */
interface Decided {
  readonly row: AccessRequestRow;
  /** Cursor of the list; undefined = its first page. */
  readonly after: string | undefined;
}

/** An open request with how the application behaved in the sandbox, and the form that decides. */
export function accessDecisionPage(
  visitor: Visitor,
  { row, after }: Decided,
  certification: Certification,
  state: FormState = {},
): Answer {
  return opsPage(
    { title: `Access request: ${row.applicationName}`, visitor, area: LIST, status: state.problems ? 400 : 200 },
    <>
      <Crumb row={row} after={after} />
      <h1>Production access request</h1>
      <section class="card" aria-labelledby={row.id}>
        <Request row={row} />
      </section>
      <section aria-labelledby="certification">
        <h2 id="certification">Certification</h2>
        <p class="quiet">How the client of this application behaved in the sandbox.</p>
        <CertificationTable certification={certification} linkTo={undefined} />
      </section>
      <section class="card" aria-labelledby="decision">
        <h2 id="decision">Decide</h2>
        <FormProblem state={state} />
        <form method="post" action={pathOf(`${LIST}/${row.id}`, after)} class="stack">
          <input type="hidden" name="copied" value={row.copied} />
          <Field
            state={state}
            name="reason"
            label="Reason"
            type="textarea"
            hint="Sent to the developer. Required if you reject the request."
            isOptional
            maxLength={LONGEST_TEXT}
          />
          <p class="quiet">The next page shows what happens, and asks you to confirm.</p>
          <p class="actions">
            <button type="submit" name="decision" value="approve">
              Approve …
            </button>
            <button class="danger" type="submit" name="decision" value="refuse">
              Reject …
            </button>
          </p>
        </form>
      </section>
    </>,
  );
}

/** Shows the effect of a decision and asks to confirm it. */
export function accessPreviewPage(
  visitor: Visitor,
  { row, after }: Decided,
  { decision, reason, copied }: z.output<typeof decisionForm>,
): Answer {
  const isApproval = decision === 'approve';
  const path = pathOf(`${LIST}/${row.id}`, after);
  return opsPage(
    { title: `${isApproval ? 'Approve' : 'Reject'}: ${row.applicationName}`, visitor, area: LIST },
    <>
      <Crumb row={row} after={after} />
      <h1>
        {isApproval ? 'Approve' : 'Reject'} {row.applicationName}
      </h1>
      <ul class="bullets">
        {isApproval ? <Granted row={row} /> : <li>Nothing changes in production.</li>}
        <li>
          {row.email === null ? 'No email is sent: the account has no address.' : `An email to ${row.email} says so.`}{' '}
          {reason === '' ? 'It has no comment.' : 'It has this comment:'}
        </li>
      </ul>
      {reason !== '' && <p class="described">{reason}</p>}
      <form method="post" action={path}>
        {Object.entries({ decision, reason, copied, confirmed: 'yes' }).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <p class="actions">
          <button class={isApproval ? '' : 'danger'} type="submit">
            {isApproval ? 'Approve the request' : 'Reject the request'}
          </button>
          <a href={path}>Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** What approval creates or changes in production. */
function Granted({ row }: { row: AccessRequestRow }) {
  const products = row.products.join(', ') || 'no products';
  const { productionApplicationId, productionProducts, accountName, email, redirectUrl } = row;
  if (productionApplicationId !== null)
    return (
      <>
        <li>
          The production application <code>{productionApplicationId}</code> is subscribed to {products}, including for
          its active tokens, in place of {productionProducts.join(', ') || 'no products'}.
        </li>
        <li>Its credentials, tier and redirect URL stay as they are.</li>
      </>
    );
  return (
    <>
      <li>
        A production application is created for {accountName}
        {email === null ? '' : ` (${email})`}, with new credentials that only the account sees. It can call real
        suppliers and make real bookings.
      </li>
      <li>It is subscribed to {products}.</li>
      <li>
        Its limits are those of tier {row.tier} (config/tiers.yaml). Redirect URL: {redirectUrl ?? 'none'}.
      </li>
      {email !== null && (
        <li>
          If the address has no production account, one is created, without a password and with the default tier of
          production.
        </li>
      )}
    </>
  );
}

function Crumb({ row, after }: Decided) {
  return (
    <p class="quiet crumb">
      <a href={pathOf(LIST, after)}>Access requests</a> / <code>{row.id}</code>
    </p>
  );
}
