import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import type { Config } from './config.schema.js';
import type { Keys } from './keys.js';
import type { LoadedConfig } from './load-config.js';
import type { SupplierConfig } from './supplier-config.schema.js';

export type { Config } from './config.schema.js';
export type { Keys } from './keys.js';
export type { SupplierConfig } from './supplier-config.schema.js';

/**
 * Injection tokens: the settings, the supplier blocks in answer order, the derived keys, and the configuration folder.
 */
export const CONFIG = Symbol('Config');
export const SUPPLIER_CONFIGS = Symbol('SupplierConfigs');
export const KEYS = Symbol('Keys');
export const CONFIG_FOLDER = Symbol('ConfigFolder');

type ValueOf = Extract<Provider, { useValue: unknown }>;

/** Provides the loaded configuration to every module. */
@Global()
@Module({})
export class ConfigModule {
  /** `more` holds additional values determined at startup. */
  static with(loaded: LoadedConfig, keys: Keys, folder: string, more: readonly ValueOf[] = []): DynamicModule {
    const providers = [
      ...more,
      { provide: CONFIG, useValue: loaded.config satisfies Config },
      { provide: SUPPLIER_CONFIGS, useValue: loaded.suppliers satisfies readonly SupplierConfig[] },
      { provide: KEYS, useValue: keys },
      { provide: CONFIG_FOLDER, useValue: folder },
    ];
    return { module: ConfigModule, providers, exports: providers.map((provider) => provider.provide) };
  }
}
