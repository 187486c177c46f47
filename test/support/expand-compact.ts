import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import type { z } from 'zod';
import type { CompactOffers } from '../../src/representations/compact-offers.js';
import type { offerWire } from '../../src/representations/offers.wire.js';
import { PROJECT } from './project.js';

type Offer = z.infer<typeof offerWire>;

/** Restores the offers of the compact view with the code in docs/searching.md. */
export function expandCompact(compact: CompactOffers): readonly Offer[] {
  const page = readFileSync(join(PROJECT, 'docs', 'searching.md'), 'utf8');
  const [, code] = /<!-- test:expand -->\s*```js\n([\s\S]*?)```/.exec(page) ?? [];
  if (code === undefined) throw new Error('docs/searching.md has no code that expands the compact view');
  const text: unknown = runInNewContext(`${code}\nJSON.stringify(expand(${JSON.stringify(compact)}))`);
  return JSON.parse(String(text)) as Offer[];
}
