/** Lines of a table with headers, columns as wide as their widest cell; only the headers without rows. */
export function tableOf(headers: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = headers.map((header, at) => Math.max(header.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [headers, ...rows].map((cells) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
