import type { AccountEvent } from '../../accounts/account.service.js';
import type { Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { eventWords } from '../shell/event-words.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { Moment } from '../shell/moment.js';
import { page } from '../shell/page.js';
import { ScrollingTable } from '../shell/scrolling-table.js';
import { Username } from './log-in-pages.js';
import { PASSWORD_HINT } from './sign-up-pages.js';

/** Which form of the page was refused, and why. */
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
  const { name, email, role, accountId } = visitor;
  const status = forms.name?.problems || forms.password?.problems ? 400 : 200;
  return page(
    { title: 'Your account', visitor, styles: ['accounts.css'], section: '/account', status, notice },
    <>
      <h1>Your account</h1>
      <dl class="facts">
        <dt>Name</dt>
        <dd>{name}</dd>
        <dt>E-mail address</dt>
        <dd>{email}</dd>
        <dt>Account</dt>
        <dd>
          <code>{accountId}</code>
          {role === 'ops' && ', may do what ops may do'}
        </dd>
      </dl>
      <p>
        <a href="/applications">Your applications</a>
      </p>

      <h2>Change the name</h2>
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
        <button type="submit">Change the name</button>
      </form>

      <h2>Change the password</h2>
      <p>Sessions on other devices end with it; this one goes on.</p>
      <FormProblem state={forms.password ?? {}} />
      <form class="stack" method="post" action="/account/password">
        <Username email={email} />
        <Field
          state={forms.password ?? {}}
          name="password"
          type="password"
          label="Present password"
          autocomplete="current-password"
        />
        <Field
          state={forms.password ?? {}}
          name="new_password"
          type="password"
          label="New password"
          autocomplete="new-password"
          hint={PASSWORD_HINT}
        />
        <button type="submit">Change the password</button>
      </form>

      <h2>Sessions</h2>
      <p>If you left a session open somewhere, or lost a device: this ends all sessions, also this one.</p>
      <form method="post" action="/logout/everywhere">
        <button class="danger" type="submit">
          Log out everywhere
        </button>
      </form>

      <h2>What happened lately</h2>
      {events.length === 0 ? (
        <p class="quiet">Nothing that is recorded: changes of the password, of secrets and the like will stand here.</p>
      ) : (
        <ScrollingTable label="What happened lately">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">What</th>
              <th scope="col">Of</th>
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr key={event.id}>
                <td>
                  <Moment at={event.at} />
                </td>
                <td>{eventWords(event, accountId)}</td>
                <td>{event.subject === accountId ? 'your account' : <code>{event.subject}</code>}</td>
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      )}
    </>,
  );
}
