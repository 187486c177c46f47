import { evaluate, templateParts } from './expression.js';
import type { Manifest } from './options.js';

type Credentials = Readonly<Record<string, string>>;

/** The headers that authenticate every call if the manifest has no session; none for other kinds. */
export function fixedHeaders({ auth }: Manifest, credentials: Credentials): Readonly<Record<string, string>> {
  if (auth.kind === 'basic') {
    const pair = `${credentials[auth.username] ?? ''}:${credentials[auth.password] ?? ''}`;
    return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
  }
  if (auth.kind !== 'header') return {};
  return Object.fromEntries(
    Object.entries(auth.headers).flatMap(([name, template]) => {
      const value = filled(template, credentials);
      return value === undefined ? [] : [[name.toLowerCase(), value]];
    }),
  );
}

/** Undefined if one of the expressions has no value; such a header is not sent. */
function filled(template: string, credentials: Credentials): string | undefined {
  const parts = templateParts(template).map((part, index) => (index % 2 === 0 ? part : evaluate(part, credentials)));
  return parts.includes(undefined) ? undefined : parts.join('');
}
