import { z } from 'zod';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import { adapterKinds } from './adapters/index.js';
import type { SupplierAdapter } from './supplier.js';

/** Builds the adapter of a supplier. Throws an Error naming the supplier when the kind does not exist or refuses its options. */
export function createAdapter({ id, name, adapter, brands, credentials, options }: SupplierConfig): SupplierAdapter {
  const create = adapterKinds[adapter];
  if (!create)
    throw new Error(`suppliers/${id}.yaml adapter: there is no adapter "${adapter}"; there are ${Object.keys(adapterKinds).join(', ')}`);
  try {
    return create({ id, name, brands, credentials, options });
  } catch (error) {
    throw new Error(`suppliers/${id}.yaml: the adapter ${adapter} refuses its settings: ${reasonsOf(error)}`, { cause: error });
  }
}

function reasonsOf(error: unknown): string {
  if (error instanceof z.ZodError) return error.issues.map((issue) => `options.${issue.path.join('.')}: ${issue.message}`).join('; ');
  return error instanceof Error ? error.message : String(error);
}
