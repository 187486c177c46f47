/** Codes that suppliers use instead of those of ISO 3166: of the United Kingdom, and the EU's of Greece. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['UK', 'GB'],
  ['EL', 'GR'],
]);

/** ISO 3166-1 alpha-2 in capitals, from any case. Undefined unless the text has two letters. */
export function countryCodeOf(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return /^[A-Z]{2}$/.test(code) ? (ALIASES.get(code) ?? code) : undefined;
}
