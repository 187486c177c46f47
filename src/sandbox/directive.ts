const PLAIN_VERBS = {
  ok: 'behaves normally',
  empty: 'has no results',
  timeout: 'accepts the call and never answers',
  reset: 'closes the connection',
  garbage: 'answers with random bytes',
  html: 'answers with an HTML page',
  truncated: 'closes the connection in the middle of its answer',
  auth: 'does not accept the gateway’s credentials',
  throttled: 'rate limits the gateway',
  sold_out: 'has no car left when you book',
  on_request: 'accepts a booking and confirms it later',
  lost_then_found: 'makes the booking or change, then closes the connection without an answer',
  lost_for_good: 'closes the connection without an answer and without making the booking or change',
} as const;
type PlainVerb = keyof typeof PLAIN_VERBS;

/** A verb of the scenario header, for its documentation. */
interface DirectiveRow {
  /** The verb with the format of its argument. */
  readonly form: string;
  /** A valid example. */
  readonly example: string;
  /** What the supplier does; follows its name. */
  readonly meaning: string;
}

/** Every verb. docs/sandbox.md and the console are generated from this list. */
export const DIRECTIVES: readonly DirectiveRow[] = [
  ...Object.entries(PLAIN_VERBS).map(([verb, meaning]) => ({ form: verb, example: verb, meaning })),
  { form: 'slow(ms)', example: 'slow(800)', meaning: 'answers after this delay in milliseconds, up to 60000' },
  { form: 'error(code)', example: 'error(503)', meaning: 'answers with this HTTP status, 400 to 599' },
  {
    form: 'price(±n%)',
    example: 'price(+10%)',
    meaning: 'changes its price by an integer percentage from -90 to 500',
  },
];

/** The verbs with the format of their arguments, for messages that list the valid ones. */
export const DIRECTIVE_FORMS: readonly string[] = DIRECTIVES.map(({ form }) => form);

/**
 * The maximum delay of slow(ms): longer than any supplier timeout, but short enough to keep waiting requests from
 * piling up.
 */
export const MAX_SLOW_MS = 60_000;

/**
 * What a simulated supplier should do with a call. The simulators have their own copy of this type, since they don't
 * import the gateway.
 */
export type Directive =
  | { readonly verb: PlainVerb }
  | { readonly verb: 'slow'; readonly ms: number }
  | { readonly verb: 'error'; readonly status: number }
  | { readonly verb: 'price'; readonly percent: number };

const WITH_ARGUMENT = /^(slow|error|price)\(([^()]*)\)$/;

/**
 * Parses `timeout`, `slow(800)` (milliseconds, up to 60000), `error(503)` (400–599) or `price(+10%)` (integer
 * percentage, −90 to 500). Ignores case and surrounding white space. Undefined if the text is anything else.
 */
export function parseDirective(text: string): Directive | undefined {
  const word = text.trim().toLowerCase();
  if (isPlain(word)) return { verb: word };
  const [, name, argument = ''] = WITH_ARGUMENT.exec(word) ?? [];
  if (name === 'slow') {
    const ms = wholeNumber(/^(\d{1,5})(?:ms)?$/, argument, 0, MAX_SLOW_MS);
    return ms === undefined ? undefined : { verb: 'slow', ms };
  }
  if (name === 'error') {
    const status = wholeNumber(/^(\d{3})$/, argument, 400, 599);
    return status === undefined ? undefined : { verb: 'error', status };
  }
  if (name === 'price') {
    const percent = wholeNumber(/^([+-]?\d{1,3})%?$/, argument.replace('−', '-'), -90, 500);
    return percent === undefined ? undefined : { verb: 'price', percent };
  }
  return undefined;
}

function isPlain(word: string): word is PlainVerb {
  return Object.hasOwn(PLAIN_VERBS, word);
}

function wholeNumber(form: RegExp, argument: string, least: number, most: number): number | undefined {
  const digits = form.exec(argument.trim())?.[1];
  if (digits === undefined) return undefined;
  const value = Number(digits) + 0;
  return value >= least && value <= most ? value : undefined;
}

/** The inverse of `parseDirective`: printable ASCII for a header. */
export function formatDirective(directive: Directive): string {
  switch (directive.verb) {
    case 'slow':
      return `slow(${directive.ms})`;
    case 'error':
      return `error(${directive.status})`;
    case 'price':
      return `price(${directive.percent < 0 ? '' : '+'}${directive.percent}%)`;
    default:
      return directive.verb;
  }
}
