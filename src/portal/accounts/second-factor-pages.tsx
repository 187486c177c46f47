import type { ComponentChildren } from 'preact';
import type { FactorOffer } from '../../accounts/second-factors.service.js';
import { mayDecide, type Visitor } from '../../accounts/sessions.service.js';
import type { Answer } from '../../http/answer.js';
import { Field, FormProblem, type FormState } from '../shell/field.js';
import { page } from '../shell/page.js';
import { CodeField } from './log-in-pages.js';
import { QrCode } from './qr-code.js';

const TITLE = 'Two-factor authentication';

interface Shown {
  readonly state?: FormState;
  readonly notice?: string | undefined;
  /** Local path to open afterwards. */
  readonly next?: string | undefined;
}

/** Sets up an authenticator app: the secret as a QR code and as text, and a first code as proof. */
export function setUpPage(visitor: Visitor, offer: FactorOffer, { state = {}, notice, next }: Shown = {}): Answer {
  return factorPage(
    visitor,
    { state, notice },
    <>
      <p>
        Logging in will require your password and a code from an app on your phone. Setting this up logs you out on all
        other devices.
      </p>
      <FormProblem state={state} />
      <h2>1. Add the account to your authenticator app</h2>
      <p>Scan this code with the app:</p>
      <QrCode text={offer.uri} label="QR code with the setup key" />
      <p>
        Or enter this setup key in the app: <code class="key">{grouped(offer.secret)}</code>
      </p>
      <h2>2. Enter the code that the app shows</h2>
      <form class="stack" method="post" action="/account/two-factor">
        <input type="hidden" name="offer" value={offer.sealed} />
        {next !== undefined && <input type="hidden" name="next" value={next} />}
        <Field state={state} name="code" label="Code" autocomplete="one-time-code" hint="6 digits." maxLength={100} />
        <p class="actions">
          <button type="submit">Turn on</button>
          <a href="/account">Cancel</a>
        </p>
      </form>
    </>,
  );
}

/** The recovery codes, shown this once. `next`: where to continue. */
export function recoveryCodesPage(visitor: Visitor, codes: readonly string[], next: string, notice: string): Answer {
  return factorPage(
    visitor,
    { notice },
    <>
      <h2>Recovery codes</h2>
      <p>
        If you lose your device, log in with one of these codes. Each code works once. Store them where only you can
        read them, apart from your device: they aren't shown again.
      </p>
      <ul class="recovery-codes card">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p>
        <a class="button" href={next}>
          I stored the codes
        </a>
      </p>
    </>,
  );
}

/** The forms of the page for an account with a second factor that were rejected, and why. */
export interface FactorForms {
  readonly codes?: FormState;
  readonly off?: FormState;
}

/** For an account with a second factor. */
export function managePage(visitor: Visitor, codesLeft: number, { codes = {}, off = {} }: FactorForms = {}): Answer {
  return factorPage(
    visitor,
    { state: codes.problems ? codes : off },
    <>
      <p>Two-factor authentication is on: logging in requires your password and a code.</p>
      <h2>Recovery codes</h2>
      <p>
        {codesLeft === 1 ? '1 recovery code is left.' : `${codesLeft} recovery codes are left.`} New codes replace all
        earlier ones.
      </p>
      <FormProblem state={codes} />
      <form class="stack" method="post" action="/account/two-factor/codes">
        <CodeField state={codes} id="codes-code" />
        <p class="actions">
          <button class="second" type="submit">
            Create new recovery codes
          </button>
        </p>
      </form>
      <h2>Turn off or change your device</h2>
      <p>
        To use another device, turn two-factor authentication off and set it up again.
        {mayDecide(visitor) && ' As an operator, you need it to open the operator pages.'}
      </p>
      <FormProblem state={off} />
      <form class="stack" method="post" action="/account/two-factor/off">
        <CodeField state={off} id="off-code" />
        <p class="actions">
          <button class="danger" type="submit">
            Turn off
          </button>
        </p>
      </form>
      <p>
        <a href="/account">Back to your account</a>
      </p>
    </>,
  );
}

function factorPage(
  visitor: Visitor,
  { state, notice }: { readonly state?: FormState; readonly notice?: string | undefined },
  content: ComponentChildren,
): Answer {
  return page(
    {
      title: TITLE,
      visitor,
      styles: ['accounts.css'],
      section: '/account',
      status: state?.problems ? 400 : 200,
      notice,
    },
    <>
      <h1>{TITLE}</h1>
      {content}
    </>,
  );
}

/** In groups of four, as people read it aloud and type it. */
function grouped(secret: string): string {
  return secret.match(/.{1,4}/g)?.join(' ') ?? secret;
}
