import type { Visitor } from '../../accounts/sessions.service.js';
import { PageError } from './page-error.js';

/** Redirects a visitor who entered the password more than `minutes` ago to the confirmation page, which leads back to the local path `next`. */
export function requireFreshPassword({ session }: Visitor, minutes: number, next: string): void {
  if (Date.now() - session.confirmedAtMs <= minutes * 60_000) return;
  throw new PageError(403, 'Enter your password first.', {}, `/confirm?next=${encodeURIComponent(next)}`);
}
