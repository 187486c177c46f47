import type { CommandRun } from './command-run.js';

/** A cell in its line and column: line breaks and tabs are written as in JSON, so what someone wrote can't look like another row. */
function inCell(text: string): string {
  return text.replace(/[\n\r\t]/g, (character) => JSON.stringify(character).slice(1, -1));
}

/** Lines of a table with headers, columns as wide as their widest cell; only the headers without rows. */
export function tableOf(headers: readonly string[], values: readonly (readonly string[])[]): readonly string[] {
  const rows = values.map((row) => row.map(inCell));
  const widths = headers.map((header, at) => Math.max(header.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [headers, ...rows].map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/**
 * Prints rows as tab-separated lines below a line with these names (nothing without rows), or as a JSON array of objects
 * with these names.
 */
export function printRows(
  run: Pick<CommandRun, 'print'>,
  names: readonly string[],
  rows: readonly (readonly (string | number | null | undefined)[])[],
  json: boolean | undefined,
): void {
  const line = (row: (typeof rows)[number]) => row.map((cell) => inCell(String(cell ?? ''))).join('\t');
  if (!json) for (const row of rows.length === 0 ? [] : [names, ...rows]) run.print(line(row));
  else
    run.print(
      JSON.stringify(
        rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at] ?? null]))),
        null,
        2,
      ),
    );
}
