import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, CONFIG_FOLDER, type Config, SUPPLIER_CONFIGS, type SupplierConfig } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import { secretFilesIn } from '../config/supplier-credentials.js';
import { observeGeneration } from '../metrics/supplier-lifecycle.js';
import { SupplierRegistry } from './registry.js';

/** The simulators that run in this process (boot.ts starts them). */
export interface SimulatedSuppliers {
  /** Base URL of a supplier's simulator; undefined if it has none in this process. */
  urlOf(id: string): string | undefined;
  /** Starts, stops and updates simulators to match a new configuration. */
  apply(suppliers: readonly SupplierConfig[]): Promise<void>;
  /** Their bookings whose renter is known, by supplier. */
  rented(): ReadonlyMap<string, readonly RentedAtSupplier[]>;
  /** Makes a simulator forget the renters of the bookings with these confirmation numbers. Rejects if it can't. */
  forgetRenters(id: string, numbers: readonly string[]): Promise<void>;
}

/** What identifies a booking at a simulator. */
export interface RentedAtSupplier {
  /** The supplier's number. */
  readonly confirmation: string;
  /** The id of the reservation; '' if the dialect doesn't carry it. */
  readonly reference: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Injection tokens of SimulatedSuppliers and of a function that reads the supplier files (throws ConfigError). */
export const SIMULATED_SUPPLIERS = Symbol('SimulatedSuppliers');
export const READ_SUPPLIERS = Symbol('ReadSuppliers');

/**
 * Applies changes in config/suppliers, and in the secret files they refer to, without a restart. When two polls in a row see the same files, so that none is
 * being written, all files are read, checked and applied in one step. If a file is invalid, the error is logged with
 * file and line and nothing changes until the files change again.
 */
@Injectable()
export class SupplierFiles implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #folder: string;
  /** The current configuration; undefined if the last change failed halfway. */
  #served: readonly SupplierConfig[] | undefined;
  #applied: readonly SupplierConfig[];
  #seen: string | undefined;
  /** Signature of the folder when its files were last read. */
  #lastRead: string | undefined;
  /** The secret files that the supplier files refer to, as of the folder's signature `asOf`. */
  #secrets: { readonly asOf: string; readonly files: readonly string[] } = { asOf: '', files: [] };
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isStopped = false;

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(SUPPLIER_CONFIGS) started: readonly SupplierConfig[],
    @Inject(CONFIG) private readonly config: Config,
    @Inject(READ_SUPPLIERS) private readonly read: () => readonly SupplierConfig[],
    @Inject(SIMULATED_SUPPLIERS) private readonly simulators: SimulatedSuppliers,
    private readonly registry: SupplierRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#folder = join(folder, 'suppliers');
    this.#served = started;
    this.#applied = started;
  }

  /** With credentials: the configuration of the start, or the last one that was applied completely. */
  get applied(): readonly SupplierConfig[] {
    return this.#applied;
  }

  onApplicationBootstrap(): void {
    if (this.config.suppliers.reloadMs > 0) this.#schedule();
  }

  /** Waits for a change in progress, so that no simulator starts after the others were stopped. */
  async onApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#polling;
  }

  #schedule(): void {
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll().finally(() => this.#schedule());
    }, this.config.suppliers.reloadMs).unref();
  }

  async #poll(): Promise<void> {
    const seen = this.#signature();
    const isStable = seen === this.#seen;
    this.#seen = seen;
    if (!isStable || seen === this.#lastRead) return;
    this.#lastRead = seen;
    try {
      await this.#apply(this.read());
    } catch (error) {
      observeGeneration('refused');
      const why = error instanceof Error ? error.message : String(error);
      this.logger.error({ why }, 'changed supplier files are invalid; the previous configuration stays in use');
    }
  }

  /**
   * Changes when a supplier file or a secret file that one refers to changes. Kubernetes replaces a secret by swapping a
   * symbolic link, which changes the file that a path leads to.
   */
  #signature(): string {
    const files = signatureOf(this.#folder);
    if (files !== this.#secrets.asOf) this.#secrets = { asOf: files, files: secretFilesIn(this.#folder) };
    return [files, ...this.#secrets.files.map((file) => signatureOfFile(file, file))].join('|');
  }

  async #apply(suppliers: readonly SupplierConfig[]): Promise<void> {
    // Unchanged on the first poll after startup, and when only a comment changed or an invalid change was reverted.
    if (isDeepStrictEqual(suppliers, this.#served)) return;
    // Check first: if a simulator moved and the change then failed, its supplier would keep the old URL.
    this.registry.check(suppliers);
    this.#served = undefined;
    await this.simulators.apply(suppliers);
    this.registry.replace(suppliers);
    this.#served = suppliers;
    this.#applied = suppliers;
    observeGeneration('taken');
    this.logger.info({ suppliers: this.registry.suppliers.map(({ id }) => id) }, 'supplier configuration reloaded');
  }
}

/**
 * Changes when any file is added, removed or written, whatever its extension, because recorded answers and files that
 * aren't configuration can also make a change invalid. Ignores names that start with a dot. An unreadable folder has
 * its own signature.
 */
function signatureOf(folder: string): string {
  try {
    return readdirSync(folder, { encoding: 'utf8', recursive: true })
      .filter((name) => !/(^|[/\\])\./.test(name))
      .sort()
      .map((name) => signatureOfFile(name, join(folder, name)))
      .join('|');
  } catch (error) {
    return `unreadable: ${(error as NodeJS.ErrnoException).code}`;
  }
}

/** Only the name if the path doesn't lead to a regular file. ctime also changes with the permissions. */
function signatureOfFile(name: string, path: string): string {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    return file?.isFile() ? [name, file.ctimeMs, file.size, file.ino].join(':') : name;
  } catch (error) {
    return `${name}: ${(error as NodeJS.ErrnoException).code}`;
  }
}
