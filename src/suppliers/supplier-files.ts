import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, CONFIG_FOLDER, type Config, SUPPLIER_CONFIGS, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { observeGeneration } from '../metrics/supplier-lifecycle.js';
import { SupplierRegistry } from './registry.js';

/** Simulators that stand for suppliers in this process (boot.ts starts them). */
export interface SimulatedSuppliers {
  /** Base URL of a supplier's simulator; undefined = it has none here. */
  urlOf(id: string): string | undefined;
  /** Makes them those of a new configuration. */
  play(suppliers: readonly SupplierConfig[]): Promise<void>;
}

/** Injection tokens: SimulatedSuppliers, and a function that reads the suppliers' files again (throws ConfigError). */
export const SIMULATED_SUPPLIERS = Symbol('PlayedSuppliers');
export const READ_SUPPLIERS = Symbol('ReadSuppliers');

/**
 * Picks up changed files of config/suppliers without a restart: all of them are read and checked, then they replace the old ones in one step. They are
 * read when two looks in a row saw them alike, so never while they are being written. Files with a fault are reported with file and line, and the
 * suppliers stay as they are until the files change again.
 */
@Injectable()
export class SupplierFiles implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #folder: string;
  /** What is served; undefined when a change broke off on the way to it. */
  #served: readonly SupplierConfig[] | undefined;
  #seen: string | undefined;
  /** How the folder was when its files were last read. */
  #judged: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;
  #isOver = false;

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(SUPPLIER_CONFIGS) started: readonly SupplierConfig[],
    @Inject(CONFIG) private readonly config: Config,
    @Inject(READ_SUPPLIERS) private readonly read: () => readonly SupplierConfig[],
    @Inject(SIMULATED_SUPPLIERS) private readonly played: SimulatedSuppliers,
    private readonly registry: SupplierRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#folder = join(folder, 'suppliers');
    this.#served = started;
  }

  onApplicationBootstrap(): void {
    if (this.config.suppliers.reloadMs > 0) this.#schedule();
  }

  /** Nothing is started behind the back of those who stop everything after it. */
  async onApplicationShutdown(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    await this.#round;
  }

  #schedule(): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#look().finally(() => this.#schedule());
    }, this.config.suppliers.reloadMs).unref();
  }

  async #look(): Promise<void> {
    const seen = signatureOf(this.#folder);
    const isAtRest = seen === this.#seen;
    this.#seen = seen;
    if (!isAtRest || seen === this.#judged) return;
    this.#judged = seen;
    try {
      await this.#take(this.read());
    } catch (error) {
      observeGeneration('refused');
      const why = error instanceof Error ? error.message : String(error);
      this.logger.error({ why }, 'changed files of suppliers are refused; the old ones serve on');
    }
  }

  async #take(suppliers: readonly SupplierConfig[]): Promise<void> {
    // Nothing is new at the first look after the start, with another comment, with a fault that was taken back.
    if (isDeepStrictEqual(suppliers, this.#served)) return;
    // Before anything changes: a simulator that has moved would be lost to the supplier that is kept.
    this.registry.check(suppliers);
    this.#served = undefined;
    await this.played.play(suppliers);
    this.registry.replace(suppliers);
    this.#served = suppliers;
    observeGeneration('taken');
    this.logger.info({ suppliers: this.registry.suppliers.map(({ id }) => id) }, 'the suppliers were read again');
  }
}

/**
 * Changes when a file comes, goes or is written, whatever its ending: a file that made all of them be refused may be one that is not read, or a recorded
 * answer. What begins with a dot is left out. A folder that is away has a signature of its own.
 */
function signatureOf(folder: string): string {
  try {
    return readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((name) => !/(^|[/\\])\./.test(name))
      .sort()
      .map((name) => {
        const file = statSync(join(folder, name), { throwIfNoEntry: false });
        return file?.isFile() ? [name, file.mtimeMs, file.size, file.ino].join(':') : name;
      })
      .join('|');
  } catch (error) {
    return `unreadable: ${(error as NodeJS.ErrnoException).code}`;
  }
}
