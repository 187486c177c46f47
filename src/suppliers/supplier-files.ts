import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, CONFIG_FOLDER, type Config, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { observeGeneration } from '../metrics/supplier-lifecycle.js';
import { SupplierRegistry } from './registry.js';

/** Simulators that stand for suppliers in this process (boot.ts starts them). */
export interface PlayedSuppliers {
  /** Base URL of a supplier's simulator; undefined = it has none here. */
  urlOf(id: string): string | undefined;
  /** Makes them those of a new configuration. */
  play(suppliers: readonly SupplierConfig[]): Promise<void>;
}

/** Injection tokens: PlayedSuppliers, and a function that reads the suppliers' files again (throws ConfigError). */
export const PLAYED_SUPPLIERS = Symbol('PlayedSuppliers');
export const READ_SUPPLIERS = Symbol('ReadSuppliers');

/**
 * Picks up changed files of config/suppliers without a restart: all of them are read and checked, then they replace the old ones in one step.
 * Files with a fault are reported with file and line, and the suppliers stay as they are until the files change again.
 */
@Injectable()
export class SupplierFiles implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #folder: string;
  #seen: string;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(READ_SUPPLIERS) private readonly read: () => readonly SupplierConfig[],
    @Inject(PLAYED_SUPPLIERS) private readonly played: PlayedSuppliers,
    private readonly registry: SupplierRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#folder = join(folder, 'suppliers');
    this.#seen = signatureOf(this.#folder);
  }

  onApplicationBootstrap(): void {
    if (this.config.suppliers.reloadMs > 0) this.#schedule();
  }

  onApplicationShutdown(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(async () => {
      await this.#look();
      this.#schedule();
    }, this.config.suppliers.reloadMs).unref();
  }

  async #look(): Promise<void> {
    const signature = signatureOf(this.#folder);
    if (signature === this.#seen) return;
    this.#seen = signature;
    try {
      const suppliers = this.read();
      await this.played.play(suppliers);
      this.registry.replace(suppliers);
      observeGeneration('taken');
      this.logger.info({ suppliers: this.registry.ids }, 'the suppliers were read again');
    } catch (error) {
      observeGeneration('refused');
      const why = error instanceof Error ? error.message : String(error);
      this.logger.error({ why }, 'changed files of suppliers are refused; the old ones serve on');
    }
  }
}

/** Changes when a file comes, goes or is written; a folder that is away has one of its own. */
function signatureOf(folder: string): string {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
    return names
      .sort()
      .map((name) => {
        const { mtimeMs, size, ino } = statSync(join(folder, name));
        return [name, mtimeMs, size, ino].join(':');
      })
      .join('|');
  } catch (error) {
    return `unreadable: ${(error as NodeJS.ErrnoException).code}`;
  }
}
