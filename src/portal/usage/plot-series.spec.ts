import { describe, expect, it } from '@jest/globals';

interface PlotSeries {
  stepsBetween(from: number, to: number, step: number): number[];
  columnOf<T>(instants: readonly number[], textAt: (at: number) => string | undefined, empty: T): (number | T)[];
  stackOf(lists: readonly (readonly number[])[]): number[][];
  rangeOf(highest: number, isStack: boolean): [number, number];
}
const script = '../assets/plot-series.js';
const { stepsBetween, columnOf, stackOf, rangeOf } = (await import(script)) as PlotSeries;

describe('the plot of the usage page', () => {
  it('has one bar per step, including the step that has just begun', () => {
    expect(stepsBetween(600, 779, 60)).toEqual([600, 660, 720]);
    expect(stepsBetween(600, 780, 60)).toEqual([600, 660, 720, 780]);
    expect(stepsBetween(600, 600, 60)).toEqual([600]);
  });

  it('shows steps without calls as zero in a stack, and as a gap in a line', () => {
    const texts = new Map([
      [600, '3'],
      [660, ''],
      [720, '0'],
    ]);
    const textAt = (at: number) => texts.get(at);
    expect(columnOf([600, 660, 720, 780], textAt, 0)).toEqual([3, 0, 0, 0]);
    expect(columnOf([600, 660, 720, 780], textAt, null)).toEqual([3, null, 0, null]);
  });

  it('draws the complete stack first, then ever lower parts over it', () => {
    expect(
      stackOf([
        [1, 0],
        [10, 5],
        [100, 0],
      ]),
    ).toEqual([
      [111, 5],
      [11, 5],
      [1, 0],
    ]);
    expect(stackOf([])).toEqual([]);
  });

  it('has room above the highest value, and a readable axis if there is little to show', () => {
    expect(rangeOf(100, true)[1]).toBeCloseTo(110);
    expect([rangeOf(0, true), rangeOf(0.2, false), rangeOf(1, true)]).toEqual([
      [0, 4],
      [0, 1],
      [0, 4],
    ]);
  });
});
