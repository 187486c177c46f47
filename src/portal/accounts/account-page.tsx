import type { AccountEvent } from '../../accounts/account.service.js';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { CardTable } from '../shell/card-table.js';
import { eventWords } from '../shell/event-words.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { Moment } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { Username } from './log-in-pages.js';
import { NewPasswordField } from './new-password-field.js';

/** The forms of the page that were rejected, and why. */
export interface AccountForms {
  readonly name?: FormState;
  readonly password?: FormState;
}

export function accountPage(
  visitor: Visitor,
  events: readonly AccountEvent[],
  forms: AccountForms = {},
  notice?: string,
): Answer {
  const { name, email, role, accountId, hasSecondFactor } = visitor;
  const status = forms.name?.problems || forms.password?.problems ? 400 : 200;
  return page(
    { title: 'Your account', visitor, styles: ['accounts.css'], section: '/account', status, notice },
    <>
      <h1>Your account</h1>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{name}</dd>
        <dt>Email</dt>
        <dd>{email}</dd>
        <dt>Account</dt>
        <dd>
          <code>{accountId}</code>
          {role === 'ops' && ' (operator)'}
        </dd>
      </dl>
      <p>
        <a href="/applications">Your applications</a> · <a href="/account/data">Download or delete your data</a>
      </p>

      <h2>Name</h2>
      <FormProblem state={forms.name ?? {}} />
      <form class="stack" method="post" action="/account/name">
        <Field state={forms.name ?? {}} name="name" label="Name" autocomplete="name" value={name} />
        <Field
          state={forms.name ?? {}}
          name="name_password"
          type="password"
          label="Your password"
          autocomplete="current-password"
        />
        <button type="submit">Change name</button>
      </form>

      <h2>Password</h2>
      <p>Changing your password logs you out on all other devices.</p>
      <FormProblem state={forms.password ?? {}} />
      <form class="stack" method="post" action="/account/password">
        <Username email={email} />
        <Field
          state={forms.password ?? {}}
          name="password"
          type="password"
          label="Current password"
          autocomplete="current-password"
        />
        <NewPasswordField state={forms.password ?? {}} />
        <button type="submit">Change password</button>
      </form>

      <h2>Two-factor authentication</h2>
      <p>
        {hasSecondFactor
          ? 'Two-factor authentication is on: logging in requires your password and a code from your authenticator app.'
          : 'Require a code from an authenticator app at each login, so that your password alone is not enough.'}
      </p>
      <p>
        <a class="button second" href="/account/two-factor">
          {hasSecondFactor ? 'Manage' : 'Set up'}
        </a>
      </p>

      <h2>Sessions</h2>
      <p>If you lost a device or left a session open, log out on all devices, including this one.</p>
      <form method="post" action="/logout/everywhere">
        <button class="danger" type="submit">
          Log out everywhere
        </button>
      </form>

      <h2>Recent activity</h2>
      {events.length === 0 ? (
        <p class="quiet">No activity yet. Changes to your password, secrets and applications appear here.</p>
      ) : (
        <CardTable
          label="Recent activity"
          columns={[{ name: 'Time', kind: 'instant' }, { name: 'Event', kind: 'change' }, { name: 'Subject' }]}
          rows={events.map((event) => ({
            key: event.id,
            cells: [
              <Moment at={event.at} />,
              eventWords(event, accountId),
              event.subject === accountId ? 'your account' : <code>{event.subject}</code>,
            ],
          }))}
        />
      )}
    </>,
  );
}
