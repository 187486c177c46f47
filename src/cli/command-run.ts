import type { Command } from 'commander';
import type { Config } from '../config/config.schema.js';
import type { Keys } from '../config/keys.js';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { AuditOrigin } from '../database/audit-origin.js';
import type { Database } from '../database/database.js';
import type { Store } from '../store/store.js';

/** What the operators' commands work with. */
export interface OpenedGateway {
  /** The folder of its configuration. */
  readonly folder: string;
  readonly config: Config;
  /** Without credentials. */
  readonly suppliers: readonly SupplierConfig[];
  /** With credentials. Throws ConfigError if those of a supplier that isn't off are missing. */
  suppliersToCall(): readonly SupplierConfig[];
  readonly keys: Keys;
  readonly database: Database;
  /** Whether this process answers requests, so that what it measured is a gateway's. */
  readonly isServing: boolean;
  /** Tokens and sessions; undefined if they are in the memory of another process. */
  readonly store: Store | undefined;
}

/**
 * One run of an operators' command: in its own process, or in a running gateway for a process that sent it
 * (control-socket.ts).
 */
export interface CommandRun {
  /** The user of the operating system who typed the command. */
  readonly user: string;
  /** The folder in which the command was typed. */
  readonly workingFolder: string;
  /** Where the command comes from, if it isn't from this machine. */
  readonly origin?: Pick<AuditOrigin, 'channel' | 'agent' | 'person' | 'address' | 'requestId'>;
  /** Writes a line of results. */
  print(line: string): void;
  /** Writes a line about what happens. */
  tell(line: string): void;
  /** Writes results as they are, not faster than they are read. */
  write(chunks: AsyncIterable<string>): Promise<void>;
  /** Asks the person. Throws an Error without a terminal. */
  confirm(question: string): Promise<boolean>;
  /** Makes the exit code 1: a check or verdict failed. */
  fail(): void;
  /** Gets the error of a command that ends with 2, unless its words are wrong. */
  failed?(error: unknown): void;
  /**
   * Runs `work` with the gateway's configuration, database and store, and closes what it opened. Throws an Error without
   * a database, or if another process has it.
   */
  gateway<T>(work: (gateway: OpenedGateway) => Promise<T>): Promise<T>;
}

/** Adds commands that run by `run`. */
export type AddCommands = (gw: Command, run: CommandRun) => void;
