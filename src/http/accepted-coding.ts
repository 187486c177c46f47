/** The content codings that the gateway can apply (RFC 9110 §8.4, RFC 8878), the one that it prefers first. */
const CODINGS = ['zstd', 'gzip'] as const;

export type Coding = (typeof CODINGS)[number];

/**
 * The content coding for an answer by the Accept-Encoding of its request (RFC 9110 §12.5.3): the one with the highest weight, zstd
 * before gzip. Undefined = send it as it is, which is also the answer to a header that can't be read.
 */
export function acceptedCoding(header: string | undefined): Coding | undefined {
  if (header === undefined || header === '') return undefined;
  const weights = weightsOf(header);
  const weightOf = (coding: string): number => weights.get(coding) ?? weights.get('*') ?? 0;
  // "x-gzip" is gzip (RFC 9110 §8.4.1.3).
  const ranked = CODINGS.map((coding) => ({
    coding,
    weight: coding === 'gzip' ? Math.max(weightOf(coding), weights.get('x-gzip') ?? 0) : weightOf(coding),
  }));
  const best = ranked.reduce((one, other) => (other.weight > one.weight ? other : one));
  return best.weight > 0 && best.weight >= (weights.get('identity') ?? 0) ? best.coding : undefined;
}

/** Coding → its weight, 0 to 1. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.slice(0, 400).toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    const [weight] = parameters.flatMap((text) => (/^q\s*=\s*[01](\.\d{0,3})?$/.test(text) ? [text] : []));
    if (parameters.length > 0 && weight === undefined) continue;
    if (coding !== '') weights.set(coding, weight === undefined ? 1 : Number(weight.split('=')[1]));
  }
  return weights;
}
