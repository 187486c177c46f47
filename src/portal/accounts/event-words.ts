import type { AccountEvent } from '../../accounts/account.service.js';

const WORDS: Readonly<Record<string, string>> = {
  account_created: 'The account was made',
  password_changed: 'The password was changed',
  password_reset: 'A new password was set by a link from a mail',
  name_changed: 'The name was changed',
  logged_out_everywhere: 'All sessions were ended',
  role_changed: 'What the account may do was changed',
  application_created: 'An application was created',
  application_suspended: 'An application was suspended',
  application_resumed: 'An application was resumed',
  secret_rotated: 'A further client secret was made',
  secret_revoked: 'A client secret was revoked',
  secret_shown: 'Client secrets were shown',
};

/** An audit event as a sentence. One without words of its own is told by its code; what is not the account itself is named. */
export function saidPlainly({ action, subject, after }: Pick<AccountEvent, 'action' | 'subject' | 'after'>, accountId: string): string {
  const words = Object.hasOwn(WORDS, action) ? WORDS[action] : undefined;
  const plain = words ?? action.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
  const role = action === 'role_changed' && isRecord(after) ? `: ${after.role === 'ops' ? 'ops' : 'developer'}` : '';
  return `${plain}${role}${subject === accountId ? '' : ` (${subject})`}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
