import { z } from 'zod';
import { adapterKinds } from '../adapters/index.js';
import { faultOf, faultyPath, placeOf } from '../config/load-config.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { SupplierAdapter } from '../model/supplier.js';

/**
 * Creates the adapter of a supplier. Throws an Error with file, line and key if the kind doesn't exist or its options
 * are invalid.
 */
export function createAdapter(config: SupplierConfig): SupplierAdapter {
  const { id, name, adapter, brands, credentials, options } = config;
  const create = adapterKinds[adapter];
  if (!create) {
    const known = Object.keys(adapterKinds).join(', ');
    throw new Error(`${placeOf(config, ['adapter'])} adapter: unknown adapter "${adapter}"; use one of ${known}`);
  }
  try {
    return create({ id, name, brands, credentials, options });
  } catch (error) {
    throw new Error(`invalid options of ${id} for the adapter ${adapter}: ${faultsOf(config, error)}`, {
      cause: error,
    });
  }
}

function faultsOf(config: SupplierConfig, error: unknown): string {
  if (!(error instanceof z.ZodError))
    return `${placeOf(config, ['options'])}: ${error instanceof Error ? error.message : String(error)}`;
  const faults = error.issues.map((issue) => {
    const at = placeOf(config, ['options', ...faultyPath(issue)]);
    return `${at} ${['options', ...issue.path].map(String).join('.')}: ${faultOf(issue)}`;
  });
  return faults.join('; ');
}
