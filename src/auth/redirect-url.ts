/** A valid redirect URL, exactly as sent; or why it is invalid and what to do. */
export type RedirectUrlCheck =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly why: string };

const LONGEST = 2_000;
/** Hosts on which a local application may listen without TLS (RFC 8252 §7.3). */
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** An ASCII name of at least two labels, or an IP address in the URL standard's notation. */
const AUTHORITY = /^(https?):\/\/([^/?#]*)/;

/**
 * Checks a redirect URL (spec §1.3). It is later compared as text (RFC 9700 §2.1), so it must be in the normal form of
 * the URL standard. URLs whose host differs between parsers are rejected.
 */
export function checkRedirectUrl(text: string): RedirectUrlCheck {
  const refuse = (why: string): RedirectUrlCheck => ({ ok: false, why });
  if (text.length > LONGEST) return refuse(`The URL is longer than ${LONGEST} characters. Use a shorter one.`);
  if (/[^\x21-\x7e]/.test(text))
    return refuse(
      'The URL has spaces or non-ASCII characters. Percent-encode them, and write the host in Punycode (xn--…).',
    );
  if (text.includes('\\')) return refuse('The URL has a backslash. Use / instead.');
  if (text.includes('*')) return refuse('The URL has a wildcard. Enter each URL exactly.');
  if (text.includes('#')) return refuse('The URL has a fragment. Remove # and everything after it.');
  const [, scheme, authority = ''] = AUTHORITY.exec(text) ?? [];
  if (scheme === undefined)
    return refuse(
      'The URL must begin with https:// (or with http:// for a local machine: 127.0.0.1, [::1], localhost).',
    );
  if (authority.includes('@')) return refuse('The URL has a user name or password. Remove everything up to the @.');
  if (!URL.canParse(text)) return refuse('This is not a URL. Write it as https://host/path.');
  const url = new URL(text);
  if (scheme === 'http' && !LOOPBACK.has(url.hostname)) {
    return refuse(
      'The URL must begin with https://. Use http:// only for a local machine: 127.0.0.1, [::1], localhost.',
    );
  }
  if (authority.includes('%') || url.host !== authority) {
    return refuse(`Write the host as browsers do: ${url.host} (lowercase, ASCII digits, no default port).`);
  }
  if (url.hostname.endsWith('.')) return refuse('The host ends with a dot. Remove it.');
  if (!/[.[]/.test(url.hostname) && !LOOPBACK.has(url.hostname)) {
    return refuse('The host has no domain. Write it in full, such as shop.example.com.');
  }
  if (url.href !== text) return refuse(`Write the URL as browsers do: ${url.href}`);
  return { ok: true, url: text };
}
