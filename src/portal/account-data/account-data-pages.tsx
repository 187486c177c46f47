import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';

/** What is kept about an account, and what its owner can do with it. `retentionDays`: of renters' data. */
export function accountDataPage(visitor: Visitor, retentionDays: number): Answer {
  return page(
    { title: 'Your data', visitor, section: '/account' },
    <>
      <h1>Your data</h1>
      <p>
        We keep your name, email address and a hash of your password; your applications with their subscriptions,
        secrets and production access requests; what was changed and when; reservations, usage and recent requests of
        your applications; and emails that aren't delivered yet. Renters' data is erased {retentionDays} days after the
        end of the rental.
      </p>
      <h2>Download</h2>
      <p>One JSON file with everything except secrets, links in emails and renters' data.</p>
      <p>
        <a href="/account/data/export" download>
          Download your data
        </a>
      </p>
      <h2>Delete</h2>
      <p>
        <a href="/account/data/delete">Delete your account</a>
      </p>
    </>,
  );
}

/** Lists the effects of deleting an account and asks for its email address as confirmation. */
export function deleteAccountPage(visitor: Visitor, state: FormState = {}): Answer {
  return page(
    { title: 'Delete your account', visitor, section: '/account', status: state.problems ? 400 : 200 },
    <>
      <h1>Delete your account</h1>
      <ul>
        <li>All your applications are deleted. Their secrets and tokens are revoked immediately.</li>
        <li>
          Their reservations stay active with the suppliers, and you can no longer access them. Cancel the ones you
          don't need first.
        </li>
        <li>Your name, address, password and request records are erased, and you are logged out on all devices.</li>
        <li>
          The history keeps what was done and when under the account id <code>{visitor.accountId}</code>, without its
          content.
        </li>
        <li>The account can't be restored. You can sign up again with the same email address.</li>
      </ul>
      <FormProblem state={state} />
      <form method="post" action="/account/data/delete" class="stack">
        <Field
          state={state}
          name="email"
          label={`To confirm, enter your email address: ${visitor.email}`}
          autocomplete="off"
        />
        <p class="actions">
          <button class="danger" type="submit">
            Delete permanently
          </button>
          <a href="/account/data">Cancel</a>
        </p>
      </form>
    </>,
  );
}
