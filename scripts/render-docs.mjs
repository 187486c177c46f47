// Writes dist/docs.json: the pages of docs/ as HTML for the portal, so that the running gateway doesn't parse Markdown.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import './typescript.mjs';

const { renderDocs } = await import('./docs/pages.ts');
const project = fileURLToPath(new URL('../', import.meta.url));
mkdirSync(`${project}dist`, { recursive: true });
writeFileSync(`${project}dist/docs.json`, JSON.stringify(renderDocs(project)));
