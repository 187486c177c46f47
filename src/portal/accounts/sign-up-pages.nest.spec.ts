import { expect, it } from '@jest/globals';
import { sentPage } from './sign-up-pages.js';

it('the page after a sign-up says where the email is, and never that one was sent without a mail server', () => {
  const text = (fate: Parameters<typeof sentPage>[1]) => String(sentPage('signup', fate, undefined).body);
  expect(text('sent')).toContain('We sent an email to your address.');
  expect(text('sent')).not.toContain('no mail server');
  expect(text('outbox')).toContain('href="/outbox"');
  expect(text('stays')).toContain('No email can be sent yet.');
  expect(text('stays')).toContain('<code>SMTP_URL</code>');
  expect(text('stays')).not.toMatch(/We sent|\/outbox/);
});
