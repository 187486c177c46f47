import { letter } from '../mail/letter.js';
import type { Mail } from '../mail/outbox.js';

type Written = Omit<Mail, 'to'>;

/** Nobody has shown yet that the address is theirs, so what was typed as a name stays out of mails to it: it could be anybody's message. */
const STRANGER = 'Hello,';
const IGNORE = 'If it was not you, do nothing: without the link nobody can use the account.';

/** After a sign-up: the link that activates the account. */
export function verifyLetter(url: string, hours: number): Written {
  return letter({
    subject: 'Activate your Forecourt account',
    greeting: STRANGER,
    paragraphs: [
      'somebody, probably you, signed up to Forecourt with this address.',
      `Open the link within ${countOf(hours, 'hour')} and press the button there. It works once.`,
      IGNORE,
    ],
    action: { label: 'Activate the account', url },
  });
}

/** After a second sign-up with another password: whose is right only the owner of the address can say, by setting one. */
export function chooseLetter(url: string, minutes: number): Written {
  return letter({
    subject: 'Activate your Forecourt account: choose the password',
    greeting: STRANGER,
    paragraphs: [
      'this address was signed up to Forecourt more than once, with different passwords. So that only you know the password, set it by this link.',
      `The link works once, within ${countOf(minutes, 'minute')}, and activates the account. Earlier links work no more.`,
      IGNORE,
    ],
    action: { label: 'Set the password', url },
  });
}

/** After a sign-up with an address that has an active account. */
export function takenLetter(name: string, loginUrl: string, resetUrl: string): Written {
  return letter({
    subject: 'You have a Forecourt account already',
    greeting: `Hello ${name},`,
    paragraphs: [
      'somebody tried to sign up to Forecourt with your address. Your account was not changed.',
      `If it was you: log in. If you do not know the password any more, set a new one: ${resetUrl}`,
      'If it was not you, there is nothing to do.',
    ],
    action: { label: 'Log in', url: loginUrl },
  });
}

/** After a password was forgotten. `name` undefined = the address was never verified. */
export function resetLetter(name: string | undefined, url: string, minutes: number): Written {
  return letter({
    subject: 'Set a new Forecourt password',
    greeting: name === undefined ? STRANGER : `Hello ${name},`,
    paragraphs: [
      'somebody, probably you, asked to set a new password for the Forecourt account of this address.',
      `The link works once, within ${countOf(minutes, 'minute')}.`,
      'If it was not you, do nothing: the password stays as it is.',
    ],
    action: { label: 'Set a new password', url },
  });
}

/** After a password was changed or reset. */
export function passwordChangedLetter(name: string, resetUrl: string): Written {
  return letter({
    subject: 'Your Forecourt password was changed',
    greeting: `Hello ${name},`,
    paragraphs: [
      'the password of your Forecourt account was changed just now, and other sessions were ended.',
      'If it was not you, set a new one at once:',
    ],
    action: { label: 'Set a new password', url: resetUrl },
  });
}

function countOf(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
