import { localPath } from './local-path.js';

describe('localPath', () => {
  test.each([
    '/',
    '/applications',
    '/applications/app_1?notice=made&x=%2F%2Fevil',
    '/console?scenario=bravo%3Dtimeout',
    '/@evil.example',
  ])('%s is returned unchanged', (path) => expect(localPath(path)).toBe(path));

  test.each([
    undefined,
    ['/account', '/account'],
    '',
    'applications',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/account\r\nSet-Cookie: a=b',
    '/a\\b',
    'https:evil.example',
    'https://evil.example',
    '@evil.example',
    `/${'a'.repeat(2_000)}`,
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    '/\u2028/evil.example',
    '/ä',
  ])('%j is rejected', (text) => expect(localPath(text)).toBeUndefined());

  test.each(['/.//evil.example', '/..//evil.example', '/%2f/evil.example'])('%s resolves to this site', (path) => {
    expect(new URL(localPath(path) ?? '', 'https://here.example').host).toBe('here.example');
  });
});
