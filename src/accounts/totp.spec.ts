import { newTotpSecret, stepOfCode, totpUri } from './totp.js';

/** RFC 6238, appendix B: the ASCII text 12345678901234567890 in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('stepOfCode', () => {
  // The last six of the eight digits in the RFC.
  test.each([
    [59, '287082', 1],
    [1111111109, '081804', 37037036],
    [1111111111, '050471', 37037037],
    [1234567890, '005924', 41152263],
    [2000000000, '279037', 66666666],
    [20000000000, '353130', 666666666],
  ])('at %d s, %s is the code of step %d (RFC 6238)', (seconds, code, step) =>
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(step),
  );

  test('accepts the codes of one step before and after, and no others', () => {
    const at = (seconds: number) => stepOfCode(SECRET, '050471', seconds * 1000);
    const begin = 37037037 * 30;
    expect([begin - 31, begin - 30, begin, begin + 59, begin + 60].map(at)).toEqual([
      undefined,
      37037037,
      37037037,
      37037037,
      undefined,
    ]);
  });

  test.each(['', '05047', '0504711', 'abcdef', '０５０４７１', '-50471', '🐢🐢🐢'])('%j is not a code', (code) =>
    expect(stepOfCode(SECRET, code, 1111111111_000)).toBeUndefined(),
  );
});

test('a secret has 160 random bits, and its URI names issuer and account', () => {
  const secret = newTotpSecret();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(newTotpSecret()).not.toBe(secret);
  const { protocol, host, pathname, searchParams } = new URL(totpUri(secret, 'Forecourt sandbox', 'a+b@example.com'));
  expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
    'otpauth:',
    'totp',
    '/Forecourt sandbox:a+b@example.com',
  ]);
  expect(Object.fromEntries(searchParams)).toMatchObject({ secret, digits: '6', period: '30', algorithm: 'SHA1' });
});
