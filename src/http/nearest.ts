/** The known name closest to a mistyped one; undefined if none is within 2 edits or a third of its length. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const typed = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1;
  for (const candidate of known) {
    // Each letter too many or too few is an edit: long names are compared with none.
    if (Math.abs(typed.length - candidate.length) >= bestDistance) continue;
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Whether the Levenshtein distance is at most `most`, a small number. Takes time in proportion to the length of the words, so it can be
 * asked about what suppliers send.
 */
export function isWithinEdits(a: string, b: string, most: number): boolean {
  if (Math.abs(a.length - b.length) > most) return false;
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  if (start + end === shorter) return true;
  if (most === 0) return false;
  const restA = a.slice(start, a.length - end);
  const restB = b.slice(start, b.length - end);
  // They begin differently, so the first character is replaced, deleted or inserted.
  return (
    isWithinEdits(restA.slice(1), restB.slice(1), most - 1) ||
    isWithinEdits(restA.slice(1), restB, most - 1) ||
    isWithinEdits(restA, restB.slice(1), most - 1)
  );
}

/** Levenshtein distance: the number of insertions, deletions and replacements. */
export function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
