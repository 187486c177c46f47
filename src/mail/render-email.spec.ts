import { renderEmail } from './render-email.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> & co`;

describe('renderEmail', () => {
  const written = renderEmail({
    subject: 'A subject',
    greeting: `Hello ${HOSTILE},`,
    paragraphs: ['First.', HOSTILE],
    action: { label: 'Go on', url: 'https://cars.example.com/verify/abc?x=1&y=2' },
  });

  test('the plain text has all parts in order, with the link on its own line', () => {
    const { text } = written;
    expect(text.split('\n\n').slice(0, 4)).toEqual([
      `Hello ${HOSTILE},`,
      'First.',
      HOSTILE,
      'Go on:\nhttps://cars.example.com/verify/abc?x=1&y=2',
    ]);
  });

  test('user input is escaped in the HTML', () => {
    expect(written.html).not.toMatch(/<script|<img/);
    expect(written.html).toContain('&lt;script>alert(1)&lt;/script>');
    expect(written.html).toContain('href="https://cars.example.com/verify/abc?x=1&amp;y=2"');
  });

  test('the HTML loads no external resources and has light and dark colors', () => {
    const { html } = renderEmail({
      subject: 's',
      greeting: 'Hello,',
      paragraphs: ['p'],
      action: { label: 'Go', url: 'https://x.example/' },
    });
    expect(html).not.toMatch(/\bsrc=|<link|url\(|@import/);
    expect(html).toMatch(/color-scheme" content="light dark"/);
    expect(html).toContain('prefers-color-scheme: dark');
  });

  test('an email without an action has no link', () => {
    expect(renderEmail({ subject: 's', greeting: 'Hello,', paragraphs: ['p'] }).html).not.toContain('<a ');
  });
});
