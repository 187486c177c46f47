import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file that pages load. */
export interface Asset {
  readonly bytes: Buffer;
  readonly contentType: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Files from npm packages, by their name below /assets/. */
const VENDORED: Readonly<Record<string, string>> = {
  'uplot.js': 'uplot/dist/uPlot.esm.js',
  'uplot.css': 'uplot/dist/uPlot.min.css',
};

const folder = fileURLToPath(new URL('../assets/', import.meta.url));
const resolve = createRequire(import.meta.url).resolve;
const assets = new Map<string, Asset & { readonly digest: string }>();
for (const name of readdirSync(folder)) add(name, join(folder, name));
for (const [name, file] of Object.entries(VENDORED)) add(name, resolve(file));

function add(name: string, file: string): void {
  const bytes = readFileSync(file);
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 12);
  assets.set(name, { bytes, contentType: TYPES[extname(name)] ?? 'application/octet-stream', digest });
}

/** The path of an asset. It contains a digest of the content, so browsers may cache it indefinitely. Throws for an unknown asset. */
export function assetPath(name: string): string {
  const asset = assets.get(name);
  if (!asset) throw new Error(`unknown asset: ${name}`);
  return `/assets/${asset.digest}/${name}`;
}

/** Undefined if no asset has this name and digest. */
export function findAsset(digest: string, name: string): Asset | undefined {
  const asset = assets.get(name);
  return asset?.digest === digest ? asset : undefined;
}
