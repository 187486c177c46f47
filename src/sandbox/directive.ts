const PLAIN_VERBS = {
  ok: 'behaves as usual',
  empty: 'has nothing',
  timeout: 'accepts the call and never answers',
  reset: 'breaks the connection off',
  garbage: 'answers with bytes that mean nothing',
  html: 'answers with an HTML page',
  truncated: 'breaks the connection off in the middle of its answer',
  auth: 'does not accept the gateway’s credentials',
  throttled: 'limits the gateway’s calls',
  sold_out: 'has no car left when it is booked',
  on_request: 'takes a booking and confirms it later',
  lost_then_found: 'does what a booking asks, then the connection breaks',
  lost_for_good: 'breaks the connection off and does nothing of what a booking asks',
} as const;
type PlainVerb = keyof typeof PLAIN_VERBS;

/** A verb of the scenario header, for people who choose one. */
interface DirectiveRow {
  /** As a caller writes it, with the form of its argument. */
  readonly form: string;
  /** One that works. */
  readonly example: string;
  /** What the supplier does: goes behind its name. */
  readonly meaning: string;
}

/** Every verb; docs/sandbox.md and the console are rendered from here. */
export const DIRECTIVES: readonly DirectiveRow[] = [
  ...Object.entries(PLAIN_VERBS).map(([verb, meaning]) => ({ form: verb, example: verb, meaning })),
  { form: 'slow(ms)', example: 'slow(800)', meaning: 'answers that many milliseconds later, up to 60000' },
  { form: 'error(code)', example: 'error(503)', meaning: 'answers with this HTTP status, 400 to 599' },
  {
    form: 'price(±n%)',
    example: 'price(+10%)',
    meaning: 'charges that much more or less, in whole percent from -90 to 500',
  },
];

/** Verbs as a caller writes them, with the form of their argument: for messages that list what is valid. */
export const DIRECTIVE_FORMS: readonly string[] = DIRECTIVES.map(({ form }) => form);

/** The longest delay that slow(ms) may ask for: beyond any supplier timeout, yet no way to pile up waiting requests for minutes. */
export const MAX_SLOW_MS = 60_000;

/** What one simulated supplier is told to do with one call. The simulators' world has the same type: it imports nothing of the gateway. */
export type Directive =
  | { readonly verb: PlainVerb }
  | { readonly verb: 'slow'; readonly ms: number }
  | { readonly verb: 'error'; readonly status: number }
  | { readonly verb: 'price'; readonly percent: number };

const WITH_ARGUMENT = /^(slow|error|price)\(([^()]*)\)$/;

/**
 * Reads `timeout`, `slow(800)` (milliseconds, to 60000), `error(503)` (400–599), `price(+10%)` (whole percent, −90 to 500).
 * Case and surrounding blanks do not matter. Undefined when the text is none of these.
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

/** The text that `parseDirective` reads back; printable ASCII, fit for a header. */
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
