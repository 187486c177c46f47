// Writes the generated parts of docs/*.md between their markers: tables, the claims of security*.md, and the changelog. Tests fail if a
// file is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { sources } from './sources.mjs';
import './typescript.mjs';

const { claimsIn, withClaims } = await import('./docs/claims.ts');
const { changelogOf, withChangelog } = await import('./docs/changelog.ts');
const { withTables } = await import('./docs/tables.ts');
const root = fileURLToPath(new URL('../', import.meta.url));
const claims = claimsIn(sources(root));
const changelog = changelogOf(root);
for (const name of readdirSync(`${root}docs`).filter((file) => file.endsWith('.md'))) {
  const path = `${root}docs/${name}`;
  const old = readFileSync(path, 'utf8');
  const made = withChangelog(withClaims(withTables(old), claims), changelog);
  if (made !== old) writeFileSync(path, made);
}
