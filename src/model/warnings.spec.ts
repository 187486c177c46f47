import { Warnings } from './warnings.js';

describe('the warnings of an answer', () => {
  it('are empty without an allocation until the first', () => {
    expect(new Warnings().list).toBe(new Warnings().list);
  });

  it('count equal texts once per kind, and how often they occurred', () => {
    const warnings = new Warnings();
    warnings.add('row_dropped', 'no total');
    warnings.add('contradiction', 'no total');
    warnings.add('row_dropped', 'no total', 2);
    expect(warnings.list).toEqual([
      { kind: 'row_dropped', text: 'no total', times: 3 },
      { kind: 'contradiction', text: 'no total', times: 1 },
    ]);
  });

  it('stay few and short whatever the supplier sends, and keep their exact number', () => {
    const warnings = new Warnings();
    for (let row = 0; row < 5_000; row += 1) warnings.add('row_dropped', `row ${row} ${'x'.repeat(2_000)}`);
    warnings.add('contradiction', 'another date');
    const { list } = warnings;
    expect(list.length).toBe(52);
    expect(Math.max(...list.map(({ text }) => text.length))).toBe(300);
    expect(list.slice(50)).toEqual([
      { kind: 'row_dropped', text: 'further warnings of this kind', times: 4_950 },
      { kind: 'contradiction', text: 'further warnings of this kind', times: 1 },
    ]);
  });
});
