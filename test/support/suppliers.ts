import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type SupplierConfig, supplierConfigSchema } from '../../src/config/supplier-config.schema.js';
import { PROJECT } from './project.js';

const FOLDER = join(PROJECT, 'config', 'suppliers');

/**
 * The shipped suppliers that a sandbox gateway calls, in configuration order, so that tests need not repeat the list.
 */
export const SUPPLIERS: readonly SupplierConfig[] = readdirSync(FOLDER)
  .map((file) => supplierConfigSchema.parse(parse(readFileSync(join(FOLDER, file), 'utf8'))))
  .filter(({ state, environments }) => state === 'live' && environments.includes('sandbox'))
  .sort((a, b) => a.order - b.order);

/** Their ids. */
export const SUPPLIER_IDS: readonly string[] = SUPPLIERS.map(({ id }) => id);
