/** Sections of docs/security.md and its three parts, in the order of the pages. */
export const SECTIONS = [
  'API1',
  'API2',
  'API3',
  'API4',
  'API5',
  'API6',
  'card-data',
  'personal-data',
  'portal',
  'environments',
  'API7',
  'API8',
  'API9',
  'API10',
  'suppliers',
  'operation',
] as const;

/** The requirements of OWASP ASVS 5.0.0 that claims may name. */
export const ASVS = {
  'V1.2.1': 'Output is encoded for its destination',
  'V1.2.4': 'Database queries are safe from injection',
  'V1.5.1': 'XML parsers resolve no external entities',
  'V2.2.1': 'Input is validated against allowed values',
  'V2.2.3': 'Related values are consistent',
  'V2.3.3': 'A business operation succeeds completely or not at all',
  'V2.3.4': 'Nothing is booked twice',
  'V2.4.1': 'Excessive calls are limited',
  'V3.2': 'Text of users is never run as a script',
  'V3.3.1': 'Cookies are limited to this host',
  'V3.4': "Pages run only their own scripts and can't be framed",
  'V3.5.1': 'Forms from other sites are rejected',
  'V4.1.1': 'Every response has a content type',
  'V4.1.3': "Callers can't spoof headers set by a proxy",
  'V4.1.4': 'Only supported methods are accepted',
  'V4.2.1': 'Message boundaries are unambiguous',
  'V6.1.1': 'Guessing is limited',
  'V6.2': 'Passwords have a minimum length, and changing one needs the current one',
  'V6.3.1': "Limits of guessing don't lock users out",
  'V6.3.8': "Responses don't reveal which addresses have accounts",
  'V6.4.3': 'Links in emails work once, for a limited time',
  'V7.2': 'Sessions are random, and new at each login',
  'V8.2.1': 'Operations require permission',
  'V8.2.2': 'Data requires permission',
  'V8.3.2': 'Changed permissions apply immediately',
  'V8.4.1': "Tenants can't access each other's data",
  'V10.4': 'The authorization server supports only the required grant, authenticates clients and revokes tokens',
  'V11.4.2': 'Passwords are stored with a slow hash',
  'V13.3.2': 'Secrets are available only where needed',
  'V13.3.4': 'Secrets can be rotated',
  'V13.4.4': 'TRACE is not supported',
  'V13.4.6': "Component versions aren't revealed",
  'V14.2.1': 'Nothing sensitive is in URLs',
  'V14.2.2': 'Nothing sensitive is in shared caches',
  'V14.2.4': 'Personal data is encrypted and can be erased',
  'V14.2.6': 'Only the last digits of a card are returned',
  'V14.3.2': 'Nothing sensitive is in caches of clients',
  'V15.2.3': 'Production has no test functions',
  'V15.3.2': "Redirects aren't followed",
  'V15.3.3': 'No mass assignment',
  'V15.3.4': "The client's address is correct behind proxies",
  'V15.3.7': 'Duplicate parameters are rejected',
  'V16.2.1': 'Log lines say when, who and what',
  'V16.2.5': 'Logs contain no secrets',
  'V16.5.1': "Errors don't reveal internals",
  'V16.5.2': 'The gateway continues when a dependency fails',
  'V16.5.3': 'The gateway fails closed',
} as const;

export type Section = (typeof SECTIONS)[number];
export type AsvsId = keyof typeof ASVS;

/** One section, or several, followed by the ASVS requirements that the claim fulfills. */
export type Places = Section | readonly [Section, ...(Section | AsvsId)[]];

/** Registers the test of one claim; `timeoutMs` as in jest. */
type Claim = (places: Places, sentence: string, prove: jest.ProvidesCallback, timeoutMs?: number) => void;

/** `caseTitle` is a title of jest's `test.each`, with `%s`, `%j` or `$name`: it isn't on the page. */
type ClaimOfCases<T extends readonly unknown[]> = (
  places: Places,
  sentence: string,
  caseTitle: string,
  prove: (...row: T) => unknown,
  timeoutMs?: number,
) => void;

interface Each {
  <T extends readonly unknown[] | [unknown]>(cases: readonly T[]): ClaimOfCases<T>;
  <T>(cases: readonly T[]): ClaimOfCases<[T]>;
}

const each: Each =
  (cases: readonly unknown[]) =>
  (
    _places: Places,
    sentence: string,
    caseTitle: string,
    prove: (...row: never[]) => unknown,
    timeoutMs?: number,
  ): void => {
    describe(sentence, () => {
      test.each(cases)(caseTitle, prove as (...row: unknown[]) => void, timeoutMs);
    });
  };

/**
 * A test that proves a line of docs/security-*.md. `npm run docs` writes the line: `sentence` is the title of the test and a
 * line of the page, so it is complete and plain English. `claim.each(cases)` proves one sentence by several cases. Both
 * are read from the source, so places and sentence are literals, and the call is in a module or a `describe`
 * (scripts/docs/claims.ts). There is no `skip` or `only`.
 */
export const claim: Claim & { readonly each: Each } = Object.assign(
  ((_places, sentence, prove, timeoutMs) => test(sentence, prove, timeoutMs)) satisfies Claim,
  { each },
);
