const ORIGIN = 'https://forecourt.invalid';
/** As long as a URL may be. A longer Location header would not pass the proxy. */
const MOST_CHARACTERS = 2_000;
/** Starts with exactly one slash. Backslashes, which browsers treat as slashes, and characters that they drop from URLs are not allowed. */
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** A path of this site, with its query, that is safe to redirect to; undefined for anything that could lead elsewhere, is too long or is repeated. */
export function localPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > MOST_CHARACTERS || !PATH.test(text) || !URL.canParse(text, ORIGIN))
    return undefined;
  return new URL(text, ORIGIN).origin === ORIGIN ? text : undefined;
}
