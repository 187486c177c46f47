import { expect, test } from '@jest/globals';
import { printRows, tableOf } from './table.js';

const printed = (rows: readonly (readonly string[])[], json?: boolean): readonly string[] => {
  const lines: string[] = [];
  printRows({ print: (line) => void lines.push(line) }, ['id', 'state'], rows, json);
  return lines;
};

test('a list has a line with the names of its columns, unless it is empty', () => {
  expect(printed([['a', 'active']])).toEqual(['id\tstate', 'a\tactive']);
  expect(printed([])).toEqual([]);
});

test('as JSON, the names are those of members, and a missing cell is null', () => {
  expect(JSON.parse(printed([['a']], true).join('\n'))).toEqual([{ id: 'a', state: null }]);
  expect(printed([], true)).toEqual(['[]']);
});

test('what is written in a cell stays in its line and column', () => {
  const forged = 'not yet\n99\tactive\r\n100';
  expect(printed([['a', forged]])).toEqual(['id\tstate', 'a\tnot yet\\n99\\tactive\\r\\n100']);
  expect(tableOf(['ID', 'REASON'], [['a', forged]])).toEqual(['ID  REASON', 'a   not yet\\n99\\tactive\\r\\n100']);
  expect(JSON.parse(printed([['a', forged]], true).join('\n'))).toEqual([{ id: 'a', state: forged }]);
});
