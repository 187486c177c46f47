// Writes the generated tables of docs/*.md between their markers; a unit test fails if a file is stale.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

const { withTables } = await import('./docs/tables.ts');
const folder = fileURLToPath(new URL('../docs/', import.meta.url));
for (const name of readdirSync(folder).filter((file) => file.endsWith('.md'))) {
  const old = readFileSync(`${folder}${name}`, 'utf8');
  const made = withTables(old);
  if (made !== old) writeFileSync(`${folder}${name}`, made);
}
