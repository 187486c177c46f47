/** Prints rows under a title; the columns are the members of the first row. */
export function table(title, rows) {
  const shown = (value) =>
    typeof value === 'number'
      ? value >= 100
        ? value.toFixed(0)
        : value.toFixed(2)
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);
  const names = Object.keys(rows[0]);
  const widths = names.map((name) => Math.max(name.length, ...rows.map((row) => shown(row[name]).length)));
  const line = (cells) => cells.map((cell, i) => cell.padEnd(widths[i])).join('  ');
  console.log(`\n${title}\n${line(names)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of rows) console.log(line(names.map((name) => shown(row[name]))));
}
