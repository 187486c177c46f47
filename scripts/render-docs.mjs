// Writes dist/docs.json: the pages of docs/ as the portal shows them, so that nothing parses Markdown while the gateway runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

const { renderDocs } = await import('./docs/pages.ts');
const project = fileURLToPath(new URL('../', import.meta.url));
mkdirSync(`${project}dist`, { recursive: true });
writeFileSync(`${project}dist/docs.json`, JSON.stringify(renderDocs(project)));
