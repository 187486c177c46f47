import type { Mail } from '../mail/outbox.js';
import { renderEmail } from '../mail/render-email.js';

type Written = Omit<Mail, 'to'>;

/** Greeting for unverified addresses. The name entered at sign-up is left out, because anyone could use it to send a message. */
const STRANGER = 'Hello,';

/** After a sign-up: the link to activate the account. */
export function verifyEmail(url: string, hours: number): Written {
  const written = renderEmail({
    subject: 'Activate your Forecourt account',
    greeting: STRANGER,
    paragraphs: [
      'Someone, probably you, signed up for Forecourt with this email address.',
      `To activate the account, open the link and choose a password within ${countOf(hours, 'hour')}. The link can be used once.`,
      "If this wasn't you, ignore this email: the account can't be used without the link.",
    ],
    action: { label: 'Activate account', url },
  });
  return { ...written, isSignUp: true };
}

/** After a sign-up with an address that has an active account. */
export function takenEmail(name: string, loginUrl: string, resetUrl: string): Written {
  const written = renderEmail({
    subject: 'You already have a Forecourt account',
    greeting: `Hello ${name},`,
    paragraphs: [
      "Someone tried to sign up for Forecourt with your email address. Your account wasn't changed.",
      `If this was you, log in. If you forgot your password, reset it: ${resetUrl}`,
      "If this wasn't you, ignore this email.",
    ],
    action: { label: 'Log in', url: loginUrl },
  });
  return { ...written, isSignUp: true };
}

/** After a reset was requested. */
export function resetEmail(name: string, url: string, minutes: number): Written {
  return renderEmail({
    subject: 'Reset your Forecourt password',
    greeting: `Hello ${name},`,
    paragraphs: [
      'Someone, probably you, requested a new password for the Forecourt account with this email address.',
      `The link can be used once within ${countOf(minutes, 'minute')}.`,
      "If this wasn't you, ignore this email: your password won't change.",
    ],
    action: { label: 'Set a new password', url },
  });
}

/** After a password was changed. */
export function passwordChangedEmail(name: string, resetUrl: string): Written {
  return renderEmail({
    subject: 'Your Forecourt password was changed',
    greeting: `Hello ${name},`,
    paragraphs: [
      'The password of your Forecourt account was just changed, and your other sessions were logged out.',
      "If this wasn't you, reset your password immediately:",
    ],
    action: { label: 'Set a new password', url: resetUrl },
  });
}

/** After a password was reset. `isRevoked`: so were the credentials of the account's applications. */
export function passwordResetEmail(name: string, isRevoked: boolean, resetUrl: string): Written {
  return renderEmail({
    subject: 'Your Forecourt password was reset',
    greeting: `Hello ${name},`,
    paragraphs: [
      'The password of your Forecourt account was just reset with an emailed link, and all sessions were logged out.',
      isRevoked
        ? 'All client secrets and access tokens of your applications were revoked, as requested. Your applications work again once you create new secrets and deploy them.'
        : 'The client secrets and access tokens of your applications still work. If someone else may have had access to your account, reset the password again and choose to revoke them.',
      "If this wasn't you, reset your password immediately:",
    ],
    action: { label: 'Set a new password', url: resetUrl },
  });
}

/** After two-factor authentication was turned on. */
export function secondFactorAddedEmail(name: string, resetUrl: string): Written {
  return renderEmail({
    subject: 'Two-factor authentication is on',
    greeting: `Hello ${name},`,
    paragraphs: [
      'From now on, logging in to your Forecourt account requires a code from your authenticator app or a recovery code. Your other sessions were logged out.',
      "If this wasn't you, reset your password immediately, then contact an operator, who can turn it off:",
    ],
    action: { label: 'Set a new password', url: resetUrl },
  });
}

/** After two-factor authentication was turned off. `byOperator`: by an operator, not by the account's owner. */
export function secondFactorRemovedEmail(name: string, byOperator: boolean, resetUrl: string): Written {
  return renderEmail({
    subject: 'Two-factor authentication is off',
    greeting: `Hello ${name},`,
    paragraphs: [
      `${byOperator ? 'An operator turned off' : 'You turned off'} two-factor authentication for your Forecourt account. Logging in requires only the password now.`,
      "If you didn't want this, reset your password immediately, then set up two-factor authentication again:",
    ],
    action: { label: 'Set a new password', url: resetUrl },
  });
}

/** After a recovery code was used. */
export function recoveryCodeUsedEmail(name: string, left: number, resetUrl: string): Written {
  return renderEmail({
    subject: 'A recovery code was used',
    greeting: `Hello ${name},`,
    paragraphs: [
      `Someone, probably you, used a recovery code of your Forecourt account. You have ${countOf(left, 'code')} left and can create new ones on your account page.`,
      "If this wasn't you, reset your password immediately, because someone knows it:",
    ],
    action: { label: 'Set a new password', url: resetUrl },
  });
}

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
