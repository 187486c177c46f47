const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ...['true', '1', 'yes', 'y', 't'].map((word): [string, boolean] => [word, true]),
  ...['false', '0', 'no', 'n', 'f'].map((word): [string, boolean] => [word, false]),
]);

/** The words that suppliers use for true and false, in any case: .NET and Python write "False". Undefined for others. */
export function flagOf(text: string): boolean | undefined {
  // Most are in lower case already.
  return FLAGS.get(text) ?? FLAGS.get(text.trim().toLowerCase());
}
