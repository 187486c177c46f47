import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { PROJECT } from './project.js';

type Tree = { [key: string]: unknown };

/** Differences from the shipped `config/`: trees are merged into the files, null removes a supplier's file. */
export interface ConfigChanges {
  /** Into default.yaml. */
  readonly settings?: Tree;
  /** Into tiers.yaml. */
  readonly tiers?: Tree;
  /** Supplier id → changes to its file (a new file if there is none), or null. */
  readonly suppliers?: Readonly<Record<string, Tree | null>>;
  /** Removes the shipped suppliers first. */
  readonly onlyTheseSuppliers?: boolean;
}

/** Copies `config/` of a build, by default this one, into a temporary folder with changes; the caller passes it as CONFIG_DIR. */
export function configFolder(changes: ConfigChanges, build = PROJECT): string {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-config-'));
  cpSync(join(build, 'config'), folder, { recursive: true });
  if (changes.settings) change(join(folder, 'default.yaml'), changes.settings);
  if (changes.tiers) change(join(folder, 'tiers.yaml'), changes.tiers);
  if (changes.onlyTheseSuppliers) {
    for (const name of readdirSync(join(folder, 'suppliers'))) rmSync(join(folder, 'suppliers', name));
  }
  for (const [id, tree] of Object.entries(changes.suppliers ?? {})) {
    const file = join(folder, 'suppliers', `${id}.yaml`);
    if (tree === null) rmSync(file);
    else change(file, existsSync(file) ? tree : { id, ...tree });
  }
  return folder;
}

function change(file: string, changes: Tree): void {
  const before: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
  writeFileSync(file, stringify(merge(isTree(before) ? before : {}, changes)));
}

function merge(base: Tree, over: Tree): Tree {
  const result = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isTree(before) && isTree(value) ? merge(before, value) : value;
  }
  return result;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Limits so high that no test reaches them by accident; concurrent calls aren't limited. */
export const ROOMY = {
  demo: { perMinute: 600_000, burst: 100_000, concurrent: undefined, bookings: undefined },
} as const;
