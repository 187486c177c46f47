/** Counts kept in memory until they are written, by key. Beyond `mostRows`, after a long database outage, the oldest row is dropped. */
export class CounterRows<Row extends { readonly calls: number }> {
  readonly #rows = new Map<string, Row>();

  constructor(
    private readonly mostRows: number,
    /** Receives the number of calls in each dropped row. */
    private readonly lost: (calls: number) => void,
  ) {}

  /** The row with this key, to add to; a new one from `make` if there is none. */
  of(key: string, make: () => Row): Row {
    const known = this.#rows.get(key);
    if (known) return known;
    if (this.#rows.size >= this.mostRows) this.#forgetOldest();
    const row = make();
    this.#rows.set(key, row);
    return row;
  }

  /** Removes and returns up to `count` rows, oldest first; empty = nothing was counted. */
  take(count: number): readonly Row[] {
    const rows: Row[] = [];
    for (const [key, row] of this.#rows) {
      if (rows.length === count) break;
      this.#rows.delete(key);
      rows.push(row);
    }
    return rows;
  }

  #forgetOldest(): void {
    for (const [key, row] of this.#rows) {
      this.#rows.delete(key);
      this.lost(row.calls);
      return;
    }
  }
}
