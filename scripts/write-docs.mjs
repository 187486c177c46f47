// Writes the generated parts of docs/*.md between their markers: tables, and the claims of security.md. Tests fail if a
// file is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sources } from './sources.mjs';
import './typescript.mjs';

const { claimsIn, withClaims } = await import('./docs/claims.ts');
const { withTables } = await import('./docs/tables.ts');
const root = fileURLToPath(new URL('../', import.meta.url));
const claims = claimsIn(sources(root));
for (const name of readdirSync(`${root}docs`).filter((file) => file.endsWith('.md'))) {
  const path = `${root}docs/${name}`;
  const old = readFileSync(path, 'utf8');
  const made = withClaims(withTables(old), claims);
  if (made !== old) writeFileSync(path, made);
}
