/** A redirect URL of OAuth as it is kept, exactly as sent; or why not, one sentence that says what to do. */
export type RedirectUrlCheck =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly why: string };

const LONGEST = 2_000;
/** RFC 8252 §7.3: where an application on a person's own machine may listen without TLS. */
const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);
/** An ASCII name of at least two labels, or an address in brackets or digits as the URL standard writes it. */
const AUTHORITY = /^(https?):\/\/([^/?#]*)/;

/**
 * Checks a redirect URL (spec §1.3). It is later compared as text (RFC 9700 §2.1), so it must be written in exactly one way: as the URL standard
 * writes it. Everything that some parser reads as another host than ours does is refused.
 */
export function checkRedirectUrl(text: string): RedirectUrlCheck {
  const refuse = (why: string): RedirectUrlCheck => ({ ok: false, why });
  if (text.length > LONGEST) return refuse(`The URL is longer than ${LONGEST} characters. Use a shorter one.`);
  if (/[^\x21-\x7e]/.test(text))
    return refuse('The URL has blanks or characters outside ASCII. Write them percent-encoded, and the host as xn--….');
  if (text.includes('\\')) return refuse('The URL has a backslash. Write / instead.');
  if (text.includes('*')) return refuse('The URL has a wildcard. Enter each URL exactly.');
  if (text.includes('#')) return refuse('The URL has a fragment. Leave out # and what follows.');
  const [, scheme, authority = ''] = AUTHORITY.exec(text) ?? [];
  if (scheme === undefined)
    return refuse('The URL must begin with https:// (or with http:// for this machine: 127.0.0.1, [::1], localhost).');
  if (authority.includes('@')) return refuse('The URL has a user name or password. Leave out everything up to the @.');
  if (!URL.canParse(text)) return refuse('This is no URL. Write it as https://host/path.');
  const url = new URL(text);
  if (scheme === 'http' && !LOOPBACK.has(url.hostname)) {
    return refuse('The URL must begin with https://; http:// is for this machine only: 127.0.0.1, [::1], localhost.');
  }
  if (authority.includes('%') || url.host !== authority) {
    return refuse(`Write the host as browsers do: ${url.host} (lower case, plain digits, no default port).`);
  }
  if (url.hostname.endsWith('.')) return refuse('The host ends with a dot. Leave it out.');
  if (!/[.[]/.test(url.hostname) && !LOOPBACK.has(url.hostname)) {
    return refuse('The host has no domain. Write it in full, such as shop.example.com.');
  }
  if (url.href !== text) return refuse(`Write the URL as browsers do: ${url.href}`);
  return { ok: true, url: text };
}
