/** A statement that adds or deletes rows, and their table. Updates don't count: some run periodically and change nothing. */
const CHANGE = /\b(?:insert into|delete from) "?(\w+)/g;

/**
 * Tables whose changes some part of a gateway waits for. Each change by an operator adds a row to audit_events; a change
 * of a reservation is announced as `reservations`.
 */
export const TABLES_AWAITED = [
  'audit_events',
  'reservations',
  'subscriptions',
  'webhook_deliveries',
  'webhook_endpoints',
] as const;

/** The most statements whose tables are remembered: those of a gateway have few different texts. */
const MOST_KNOWN = 500;

/** A table whose changes are announced. */
export type AwaitedTable = (typeof TABLES_AWAITED)[number];

/**
 * Notifies the parts of this process that tables change, so that they needn't ask the database all the time. A change is
 * announced when its statement begins: its rows can be read a moment later.
 */
export class TableChanges {
  readonly #watchers: { readonly tables: readonly AwaitedTable[]; readonly changed: (isOwn: boolean) => void }[] = [];
  readonly #own = new Set<AwaitedTable>();
  /** The tables to announce for a statement. */
  readonly #known = new Map<string, readonly AwaitedTable[]>();

  /** Whether changes by other processes are announced here, or there are none. */
  isInformed: boolean;

  /** `isAlone`: no other process changes the tables. */
  constructor(readonly isAlone: boolean) {
    this.isInformed = isAlone;
  }

  /** Calls `changed` for each change of one of the tables; `isOwn`: by this process. */
  watch(tables: readonly AwaitedTable[], changed: (isOwn: boolean) => void): void {
    this.#watchers.push({ tables, changed });
  }

  /** Announces what a statement of this process changes. */
  note(statement: string): void {
    for (const table of this.#tablesOf(statement)) this.announceOwn(table);
  }

  /** Announces a change by this process. */
  announceOwn(table: AwaitedTable): void {
    this.#own.add(table);
    this.#tell(table, true);
  }

  /** Announces a change that another process may have made; unknown tables are those of another version. */
  announce(table: string): void {
    if (isAwaited(table)) this.#tell(table, false);
  }

  /** The tables that this process has changed since the last call. */
  takeOwn(): readonly AwaitedTable[] {
    const own = [...this.#own];
    this.#own.clear();
    return own;
  }

  #tablesOf(statement: string): readonly AwaitedTable[] {
    const known = this.#known.get(statement);
    if (known) return known;
    const tables = [...statement.matchAll(CHANGE)].map(([, table = '']) => table).filter(isAwaited);
    if (this.#known.size < MOST_KNOWN) this.#known.set(statement, tables);
    return tables;
  }

  #tell(table: AwaitedTable, isOwn: boolean): void {
    for (const { tables, changed } of this.#watchers) if (tables.includes(table)) changed(isOwn);
  }
}

function isAwaited(table: string): table is AwaitedTable {
  return (TABLES_AWAITED as readonly string[]).includes(table);
}
