import type { Visitor } from '../../accounts/sessions.service.js';
import { PageError } from './page-error.js';

/** Sends a visitor whose password was given longer ago than `minutes` to the page that asks for it, and back to `next` (a path of ours). */
export function requireFreshPassword({ session }: Visitor, minutes: number, next: string): void {
  if (Date.now() - session.confirmedAtMs <= minutes * 60_000) return;
  throw new PageError(403, 'Give your password first.', {}, `/confirm?next=${encodeURIComponent(next)}`);
}
