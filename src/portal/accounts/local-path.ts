const ORIGIN = 'https://forecourt.invalid';
/** One slash, then neither a second one nor a backslash, which browsers take for one; nothing that they drop from URLs. */
const PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;

/** A path of ours, with its query, to send a browser to; undefined for anything that could lead elsewhere, or is given several times. */
export function localPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !PATH.test(text) || !URL.canParse(text, ORIGIN)) return undefined;
  return new URL(text, ORIGIN).origin === ORIGIN ? text : undefined;
}
