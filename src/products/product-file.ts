import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../config/load-config.js';
import { outlived, STATES, type VersionInState } from './lifecycle.js';
import { type Tiers, tiersSchema } from './policy.js';
import { exactVersion, newestFirst, parseVersion } from './version.js';

/** One product of `config/products.yaml` with the versions that this build serves, the newest first, in the states they begin in. */
export interface ProductSeed {
  readonly id: string;
  readonly name: string;
  /** Path before the version segment: /cars/locations. */
  readonly path: string;
  readonly versions: readonly VersionInState[];
}

/** `config/products.yaml`. */
export interface ProductFile {
  /** How often each gateway reads the states from the database, milliseconds. */
  readonly refreshMs: number;
  readonly products: readonly ProductSeed[];
}

const versionsSchema = z.record(z.string(), z.enum(STATES)).transform((record, context): VersionInState[] => {
  const versions = Object.entries(record).flatMap(([text, state]) => {
    const wish = parseVersion(text);
    if (!wish) context.addIssue({ code: 'custom', message: `"${text}" is no version: write v1, v1.1, v1.1.1 or v2.0.1` });
    return wish ? [{ ...exactVersion(wish), state }] : [];
  });
  if (outlived(versions).length > 0)
    context.addIssue({ code: 'custom', message: 'only one major can be live: the earlier one is deprecated' });
  return versions.sort(newestFirst);
});

const fileSchema = z.strictObject({
  refreshMs: z.number().int().min(50).max(60_000),
  products: z.array(
    z.strictObject({ id: z.string(), name: z.string(), path: z.string().regex(/^(\/[a-z_]+)+$/), versions: versionsSchema }),
  ),
});

/** Reads `<folder>/tiers.yaml`. Throws ConfigError that names the faults. */
export function readTiers(folder: string): Tiers {
  const parsed = tiersSchema.safeParse(parse(readFileSync(join(folder, 'tiers.yaml'), 'utf8')));
  if (!parsed.success) throw faultsOf('tiers.yaml', parsed.error);
  return parsed.data;
}

function faultsOf(file: string, { issues }: z.ZodError): ConfigError {
  return new ConfigError(issues.map(({ path, message }) => `${file} ${path.join('.') || '(root)'}: ${message}`));
}

/** Reads `<folder>/products.yaml`. Throws when it is missing, and ConfigError that names the faults. */
export function readProductFile(folder: string): ProductFile {
  const parsed = fileSchema.safeParse(parse(readFileSync(join(folder, 'products.yaml'), 'utf8')));
  if (!parsed.success) throw faultsOf('products.yaml', parsed.error);
  return parsed.data;
}
