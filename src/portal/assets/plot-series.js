// What the charts of the usage page draw, computed from the rows of its table.

/** The start of each step, in the unit of `from`, including the step in which `to` is. */
export function stepsBetween(from, to, step) {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

/** One value per instant: that of `textAt`, or `empty` if there is no row or the text is empty. */
export function columnOf(instants, textAt, empty) {
  return instants.map((at) => {
    const text = textAt(at) ?? '';
    return text === '' ? empty : Number(text);
  });
}

/** Sums of each list with all lists before it: the complete stack first, then ever lower parts to draw over it. */
export function stackOf(lists) {
  const sums = [];
  for (const list of lists) sums.push(list.map((value, index) => value + (sums.at(-1)?.[index] ?? 0)));
  return sums.toReversed();
}

/** The range of the vertical axis: from 0, with some room above the highest value, and never too small to read. */
export function rangeOf(highest, isStack) {
  return [0, Math.max(isStack ? 4 : 1, highest * 1.1)];
}
