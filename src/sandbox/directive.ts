const PLAIN_VERBS = [
  'ok',
  'empty',
  'timeout',
  'reset',
  'garbage',
  'html',
  'truncated',
  'auth',
  'throttled',
  'sold_out',
  'on_request',
  'lost_then_found',
  'lost_for_good',
] as const;

/** Verbs as a caller writes them, with the form of their argument: for messages that list what is valid (docs/sandbox.md). */
export const DIRECTIVE_FORMS: readonly string[] = [...PLAIN_VERBS, 'slow(ms)', 'error(code)', 'price(±n%)'];

/** The longest delay that slow(ms) may ask for: beyond any supplier timeout, yet no way to pile up waiting requests for minutes. */
export const MAX_SLOW_MS = 60_000;

/** What one simulated supplier is told to do with one call. The simulators' world has the same type: it imports nothing of the gateway. */
export type Directive =
  | { readonly verb: (typeof PLAIN_VERBS)[number] }
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
  const verb = PLAIN_VERBS.find((plain) => plain === word);
  if (verb) return { verb };
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
