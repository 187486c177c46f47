import { letter } from './letter.js';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)> & co`;

describe('letter', () => {
  const written = letter({
    subject: 'A subject',
    greeting: `Hello ${HOSTILE},`,
    paragraphs: ['First.', HOSTILE],
    action: { label: 'Go on', url: 'https://cars.example.com/verify/abc?x=1&y=2' },
  });

  test('the plain text says all of it in order, the link on a line of its own', () => {
    const { text } = written;
    expect(text.split('\n\n').slice(0, 4)).toEqual([
      `Hello ${HOSTILE},`,
      'First.',
      HOSTILE,
      'Go on:\nhttps://cars.example.com/verify/abc?x=1&y=2',
    ]);
  });

  test('what was typed by people is text in the HTML, never markup', () => {
    expect(written.html).not.toMatch(/<script|<img/);
    expect(written.html).toContain('&lt;script>alert(1)&lt;/script>');
    expect(written.html).toContain('href="https://cars.example.com/verify/abc?x=1&amp;y=2"');
  });

  test('the HTML loads nothing from anywhere and has colours for light and dark', () => {
    const { html } = letter({
      subject: 's',
      greeting: 'Hello,',
      paragraphs: ['p'],
      action: { label: 'Go', url: 'https://x.example/' },
    });
    expect(html).not.toMatch(/\bsrc=|<link|url\(|@import/);
    expect(html).toMatch(/color-scheme" content="light dark"/);
    expect(html).toContain('prefers-color-scheme: dark');
  });

  test('without an action there is no link', () => {
    expect(letter({ subject: 's', greeting: 'Hello,', paragraphs: ['p'] }).html).not.toContain('<a ');
  });
});
