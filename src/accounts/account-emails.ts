import type { Mail } from '../mail/outbox.js';
import { renderEmail } from '../mail/render-email.js';

type Written = Omit<Mail, 'to'>;

/** Greeting for unverified addresses. The name entered at sign-up is left out, because anyone could use it to send a message. */
const STRANGER = 'Hello,';
const IGNORE = "If this wasn't you, ignore this email: the account can't be used without the link.";

/** After a sign-up: the link to activate the account. */
export function verifyEmail(url: string, hours: number): Written {
  return renderEmail({
    subject: 'Activate your Forecourt account',
    greeting: STRANGER,
    paragraphs: [
      'Someone, probably you, signed up for Forecourt with this email address.',
      `To activate the account, open the link within ${countOf(hours, 'hour')}. It can be used once.`,
      IGNORE,
    ],
    action: { label: 'Activate account', url },
  });
}

/** After a second sign-up with a different password: only the owner of the address can decide, by setting a new one. */
export function chooseEmail(url: string, minutes: number): Written {
  return renderEmail({
    subject: 'Activate your Forecourt account: choose a password',
    greeting: STRANGER,
    paragraphs: [
      'Someone signed up for Forecourt with this email address more than once, with different passwords. To make sure that only you know the password, set it with this link.',
      `The link can be used once within ${countOf(minutes, 'minute')} and activates the account. Earlier links no longer work.`,
      IGNORE,
    ],
    action: { label: 'Set password', url },
  });
}

/** After a sign-up with an address that has an active account. */
export function takenEmail(name: string, loginUrl: string, resetUrl: string): Written {
  return renderEmail({
    subject: 'You already have a Forecourt account',
    greeting: `Hello ${name},`,
    paragraphs: [
      "Someone tried to sign up for Forecourt with your email address. Your account wasn't changed.",
      `If this was you, log in. If you forgot your password, reset it: ${resetUrl}`,
      "If this wasn't you, ignore this email.",
    ],
    action: { label: 'Log in', url: loginUrl },
  });
}

/** After a reset was requested. `name` is undefined if the address was never verified. */
export function resetEmail(name: string | undefined, url: string, minutes: number): Written {
  return renderEmail({
    subject: 'Reset your Forecourt password',
    greeting: name === undefined ? STRANGER : `Hello ${name},`,
    paragraphs: [
      'Someone, probably you, requested a new password for the Forecourt account with this email address.',
      `The link can be used once within ${countOf(minutes, 'minute')}.`,
      "If this wasn't you, ignore this email: your password won't change.",
    ],
    action: { label: 'Set a new password', url },
  });
}

/** After a password was changed or reset. */
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

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
