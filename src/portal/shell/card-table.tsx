import type { ComponentChildren } from 'preact';
import { ScrollingTable } from './scrolling-table.js';

/** A column; `kind`: numbers are aligned right, instants don't wrap, texts do. */
export interface Column {
  readonly name: string;
  readonly kind?: 'number' | 'instant' | 'change';
}

/** A row; its first cell names it. As many cells as columns. */
export interface DataRow {
  /** Unique in the table. */
  readonly key: string | number;
  /** An undefined one is a dash, which a card leaves out. */
  readonly cells: readonly ComponentChildren[];
}

/** A table that becomes one card per row, each cell with its column's name, where it is too narrow for columns. */
export function CardTable({
  label,
  columns,
  rows,
}: {
  label: string;
  columns: readonly Column[];
  rows: readonly DataRow[];
}) {
  const [first, ...others] = columns;
  return (
    <ScrollingTable label={label} class="cards">
      <thead>
        <tr>
          {columns.map(({ name, kind }) => (
            <th key={name} scope="col" class={kind}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells: [name, ...cells] }) => (
          <tr key={key}>
            <th scope="row" class={first?.kind}>
              {name}
            </th>
            {others.map((column, at) => (
              <td key={column.name} class={cells[at] === undefined ? 'absent' : column.kind} data-label={column.name}>
                {cells[at] ?? '–'}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollingTable>
  );
}
