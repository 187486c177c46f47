/** Returns what `work` returns for each item; throws one Error with the messages of all that failed, a line each. */
export function forAll<T, R>(items: readonly T[], work: (item: T) => R): R[] {
  const faults: string[] = [];
  const results = items.flatMap((item) => {
    try {
      return [work(item)];
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
      return [];
    }
  });
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return results;
}
