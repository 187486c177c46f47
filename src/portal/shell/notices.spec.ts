import { describe, expect, it } from '@jest/globals';
import type { Visitor } from '../../accounts/sessions.service.js';
import { requireFreshPassword } from './fresh-password.js';
import { noticeOf } from './notices.js';

describe('the notice above a page', () => {
  it.each(['nothing', 'toString', '__proto__', ['saved'], undefined])('%j has none', (code) => {
    expect(noticeOf(code)).toBeUndefined();
  });

  it('is one of the known texts', () => {
    expect(noticeOf('saved')).toBe('Changes saved.');
  });
});

describe('a page that needs the password again', () => {
  const entered = (minutesAgo: number) => ({ session: { confirmedAtMs: Date.now() - minutesAgo * 60_000 } }) as Visitor;

  it('is shown for some minutes after it was entered', () => {
    expect(() => requireFreshPassword(entered(9), 10, '/applications/app_a')).not.toThrow();
  });

  it('is shown again after the password was entered', () => {
    expect(() => requireFreshPassword(entered(11), 10, '/applications/app_a?x=1')).toThrow(
      expect.objectContaining({ status: 403, location: '/confirm?next=%2Fapplications%2Fapp_a%3Fx%3D1' }),
    );
  });
});
