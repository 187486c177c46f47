import { checkRedirectUrl } from './redirect-url.js';

/** The most web origins that an application may have. */
export const MAX_ORIGINS = 10;

/** Valid origins in the order given, without repetitions; or why one is invalid and what to do. */
export type OriginsCheck =
  | { readonly ok: true; readonly origins: readonly string[] }
  | { readonly ok: false; readonly why: string };

/** Longer than any host name with scheme and port. */
const LONGEST = 270;

/**
 * Checks web origins whose pages may call the API. They are compared as text with the Origin header, so each must be as
 * browsers write it: scheme, host, and port unless it is the default one. https, or http on a local machine.
 */
export function checkOrigins(texts: readonly string[]): OriginsCheck {
  const origins = [...new Set(texts)];
  if (origins.length > MAX_ORIGINS)
    return { ok: false, why: `An application can have at most ${MAX_ORIGINS} origins. Remove some.` };
  const why = origins.map(problemOf).find((problem) => problem !== undefined);
  return why === undefined ? { ok: true, origins } : { ok: false, why };
}

function problemOf(text: string): string | undefined {
  const shown = text.slice(0, 100);
  if (text.length > LONGEST) return `The origin is longer than ${LONGEST} characters: ${shown}…`;
  if (text === 'null') return "The origin null is that of every sandboxed page and local file. It can't be allowed.";
  const isWeb = /^https?:\/\//.test(text);
  if (isWeb && !URL.canParse(text)) return `${shown} is not an origin. Write it as https://host or https://host:port.`;
  if (isWeb && /^https?:\/\/[^/?#]*[/?#]/.test(text))
    return `An origin has no path: write ${new URL(text).origin} instead of ${shown}`;
  const check = checkRedirectUrl(`${text}/`);
  return check.ok ? undefined : `${shown}: ${check.why.replaceAll('URL', 'origin').replace(/\/$/, '')}`;
}
