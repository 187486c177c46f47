import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Config } from '../config/config.schema.js';
import { ConfigError } from '../config/load-config.js';
import { withOwnTexts } from '../config/own-texts.js';
import { outlived, STATES, type VersionInState } from './lifecycle.js';
import { type Tiers, tiersSchema } from './policy.js';
import { exactVersion, newestFirst, parseVersion } from './version.js';

/**
 * One product of `config/products.yaml` with the versions that this build serves, newest first, in their initial
 * states.
 */
export interface ProductSeed {
  readonly id: string;
  readonly name: string;
  /** Path before the version segment, such as /cars/locations. */
  readonly path: string;
  readonly versions: readonly VersionInState[];
}

/** `config/products.yaml`. */
export interface ProductFile {
  readonly products: readonly ProductSeed[];
}

const versionsSchema = z.record(z.string(), z.enum(STATES)).transform((record, context): VersionInState[] => {
  const versions = Object.entries(record).flatMap(([text, state]) => {
    const version = parseVersion(text);
    if (!version)
      context.addIssue({
        code: 'custom',
        message: `"${text}" is not a version: use a format such as v1, v1.1, v1.1.1 or v2.0.1`,
      });
    return version ? [{ ...exactVersion(version), state }] : [];
  });
  if (outlived(versions).length > 0)
    context.addIssue({ code: 'custom', message: 'only one major can be live: mark the earlier one as deprecated' });
  return versions.sort(newestFirst);
});

const fileSchema = z.strictObject({
  /** Files of versions before 1.5 have it, and require it. It has no effect. */
  refreshMs: z.unknown().optional(),
  products: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      path: z.string().regex(/^(\/[a-z_]+)+$/),
      versions: versionsSchema,
    }),
  ),
});

/**
 * Reads `<folder>/tiers.yaml`. Throws ConfigError with all faults, including costs of products that products.yaml lacks
 * and an unknown default tier.
 */
export function readTiers(folder: string, { portal: { defaultTier } }: Pick<Config, 'portal'>): Tiers {
  const parsed = tiersSchema.safeParse(withOwnTexts(parse(readFileSync(join(folder, 'tiers.yaml'), 'utf8'))));
  if (!parsed.success) throw faultsOf('tiers.yaml', parsed.error);
  const { costs, tiers } = parsed.data;
  const products = readProductFile(folder).products.map(({ id }) => id);
  const faults = Object.keys(costs)
    .filter((id) => !products.includes(id))
    .map((id) => `tiers.yaml costs.${id}: there is no such product; products.yaml has ${products.join(', ')}`);
  if (!tiers.has(defaultTier)) {
    faults.push(
      `setting portal.defaultTier: there is no tier "${defaultTier}"; tiers.yaml has ${[...tiers.keys()].join(', ')}`,
    );
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return parsed.data;
}

function faultsOf(file: string, { issues }: z.ZodError): ConfigError {
  return new ConfigError(issues.map(({ path, message }) => `${file} ${path.join('.') || '(root)'}: ${message}`));
}

/** Reads `<folder>/products.yaml`. Throws if it is missing, and ConfigError with all faults if it is invalid. */
export function readProductFile(folder: string): ProductFile {
  const parsed = fileSchema.safeParse(withOwnTexts(parse(readFileSync(join(folder, 'products.yaml'), 'utf8'))));
  if (!parsed.success) throw faultsOf('products.yaml', parsed.error);
  return parsed.data;
}
