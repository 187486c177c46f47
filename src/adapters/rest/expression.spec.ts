import { describe, expect, it } from '@jest/globals';
import { TreeInterpreter } from '@jmespath-community/jmespath';
import { slowed } from '../../../test/support/slowness.js';
import { threadMs } from '../../../test/support/thread-time.js';
import { Evaluation, EvaluationLimit, parseExpression } from './expression.js';

const value = (text: string, given: unknown, answer: unknown = {}) =>
  new Evaluation({ answer, request: { age: 41 } }).value(parseExpression(text), given);

describe('an expression', () => {
  it('reads its node, the complete answer and the request', () => {
    expect(value('price.total', { price: { total: 7 } })).toBe(7);
    expect(value('$answer.days', {}, { days: 3 })).toBe(3);
    expect(value('$request.age', {})).toBe(41);
    expect(value('extras[].{id: code}', { extras: [{ code: 'A' }] })).toEqual([{ id: 'A' }]);
  });

  it('is undefined for missing members and null', () => {
    expect(value('a.b.c', { a: null })).toBeUndefined();
    expect(value('a', undefined)).toBeUndefined();
    expect(value('a', 'text')).toBeUndefined();
  });

  it('lists the members of its input that it reads', () => {
    const names = (text: string) => [...parseExpression(text).names].sort();
    expect(names('driver.licence.{n: number}')).toEqual(['driver']);
    expect(names("join('', [arrival.carrierCode, arrival.flightNumber])")).toEqual(['arrival']);
    expect(names('extras[?quantity > `1`].code | [0]')).toEqual(['extras']);
    expect(names('a ? b : !c && (d || e) == f')).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(names('sort_by(rows, &price)')).toEqual(['rows']);
    expect(names('[x, {y: z}]')).toEqual(['x', 'z']);
    expect(names('*.a')).toEqual([]);
  });

  it.each([
    ['price.', 'Syntax error'],
    ['price ==', 'Syntax error'],
    ['a.constructor', '"constructor" can\'t be a member'],
    ['__proto__.a', '"__proto__" can\'t be a member'],
    ['$.a', '$ alone'],
    ['$process.env', 'no variable $process'],
    ['total + fee', 'arithmetic'],
    ['-total', 'arithmetic'],
    ['sum(prices)', 'no function sum'],
    ["pad_left(a, `1000000000`, 'x')", 'no function pad_left'],
    ['let $x = a in $x', ''],
    ['map(&$answer.x, rows)', 'inside &'],
  ])('is refused when it is %s', (text, reason) => {
    expect(() => parseExpression(text)).toThrow(reason);
  });
});

describe('evaluation', () => {
  it.each([
    ['lower(a)', 7],
    ['lower(a)', null],
    ["join(' ', [a, b])", 'X'],
    ["contains(a, 'X') || 'y'", undefined],
    ['!length(a)', null],
    ["starts_with(a, 'X') ? 'y' : 'n'", undefined],
    ['sort(a)[0]', 'X'],
    ['sort_by(a, &b)', {}],
    ['merge(a, b)', {}],
    ['keys(a)', []],
    ['map(&b, a)', 'X'],
    ['zip(a, b)', []],
  ])('%s has no value for %j, however often', (text, a) => {
    const evaluation = new Evaluation({ answer: {}, request: {} });
    const expression = parseExpression(text);
    for (let index = 0; index < 1_000; index += 1) expect(evaluation.value(expression, { a })).toBeUndefined();
  });

  it.each([
    ['lower(a)', 'X', 'x'],
    ["join('-', [a, a])", 'X', 'X-X'],
    ["contains(a, 'X')", ['X'], true],
    ['length(a)', { b: 1 }, 1],
    ["trim(a, 'X')", 'XyX', 'y'],
    ['sort_by(a, &b)[].b', [{ b: 2 }, { b: 1 }], [1, 2]],
    ['zip(a, a)', [1], [[1, 1]]],
    ['merge(a, a)', { b: 1 }, { b: 1 }],
  ])('%s of %j is %j', (text, a, expected) => {
    expect(value(text, { a })).toEqual(expected);
  });

  it('fails an answer if other failures happen too often', () => {
    const evaluation = new Evaluation({ answer: {}, request: {} });
    const sorted = parseExpression('sort_by(a, &b)');
    const mixed = { a: [{ b: 1 }, { b: 'x' }] };
    expect(evaluation.value(sorted, mixed)).toBeUndefined();
    expect(() => {
      for (let index = 0; index < 1_000; index += 1) evaluation.value(sorted, mixed);
    }).toThrow(EvaluationLimit);
  });

  it('fails an answer with too many rows', () => {
    const evaluation = new Evaluation({ answer: {}, request: {} });
    expect(evaluation.list(Array(20_000))).toHaveLength(20_000);
    expect(() => evaluation.list([1])).toThrow(EvaluationLimit);
  });

  it('accepts an answer of any depth: converting it to text or comparing it has no value, and nothing else fails', () => {
    const deep: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
    expect(value('to_string(@)', deep)).toBeUndefined();
    expect(value('a.b.c', deep)).toBeUndefined();
  });

  it.each([
    ['`0`', true],
    ['`false`', false],
    ["''", false],
    ['`[]`', false],
    ['`{}`', false],
    ['missing', false],
    ["'x'", true],
  ])('%s holds: %s', (text, expected) => {
    expect(new Evaluation({ request: {} }).holds(parseExpression(text), {})).toBe(expected);
  });
});

describe('what is the same in all rows', () => {
  const answer = {
    period: '2031-05-06/2031-05-09',
    fees: [
      { kind: 'D', amount: '90', tags: ['b', 'a'] },
      { kind: 'E', amount: '40', tags: [] },
    ],
    codes: ['c', 'a', 'b'],
    names: { a: 'Alpha' },
  };
  const rows = [{ kind: 'E', code: 'a', fees: [{ k: 1 }] }, { kind: 'D' }, {}];

  it.each([
    "split($answer.period, '/')[1]",
    "$answer.fees[?kind == 'D'].amount | [0]",
    "$answer.fees[?kind == 'X'].amount | [0]",
    'sort($answer.codes)[0]',
    'contains($answer.codes, code)',
    "kind || split($answer.period, '/')[0]",
    "kind ? lower(kind) : upper(split($answer.period, '/')[0])",
    "fees[*].split($answer.period, '/')[0]",
    "{first: $answer.fees[0].kind, own: kind, all: join('-', $answer.codes)}",
    '[kind, $answer.fees[].tags[]]',
    'map(&kind, $answer.fees)',
    '$answer.fees[*].{k: kind, n: length(tags)}',
    '$answer.codes[1:]',
    "!contains(split($answer.period, '/'), kind)",
    'lower(sort($answer.fees)[0])',
    '`{"type": "Field", "name": ["x"]}` && length($answer.codes)',
    '$answer.missing[*].x || length($request.places)',
  ])('is as without being kept: %s', (text) => {
    const scope = { answer, request: { places: [1, 2] } };
    const evaluation = new Evaluation(scope);
    const expression = parseExpression(text);
    const naive = (row: object) => {
      try {
        return TreeInterpreter.withScope(scope).visit(expression.node, row as never) ?? undefined;
      } catch {
        return undefined;
      }
    };
    expect([...rows, ...rows].map((row) => evaluation.value(expression, row))).toEqual([...rows, ...rows].map(naive));
  });

  it.each([
    ["split($answer.long, '/')[0]", { long: `a/${'/'.repeat(60_000)}` }],
    ['sort($answer.many)[0]', { many: Array.from({ length: 12_000 }, (_, at) => `${(at * 7_919) % 9_973}`) }],
    ["$answer.many[?k == 'D'].v | [0]", { many: Array.from({ length: 20_000 }, () => ({})) }],
    ['length($answer.long)', { long: 'x'.repeat(60_000) }],
    ['keys($answer.all)[0]', { all: Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`k${at}`, 0])) }],
  ])('is read once, however many rows there are: %s', (text, long) => {
    const evaluation = new Evaluation({ answer: long, request: {} });
    const expression = parseExpression(text);
    const startedAt = threadMs();
    for (let row = 0; row < 1_000; row += 1) evaluation.value(expression, { row });
    // Some milliseconds; in each row, it would be 200 ms and more.
    expect(threadMs() - startedAt).toBeLessThan(50);
  });

  it.each([
    ['contains($answer.long, code)', { long: 'x'.repeat(60_000) }],
    ['length(join(code, [$answer.long, code]))', { long: 'x'.repeat(60_000) }],
    ['sort([code, $answer.many][])[0]', { many: Array.from({ length: 12_000 }, (_, at) => `${(at * 7_919) % 9_973}`) }],
    ['merge($answer.all, @)', { all: Object.fromEntries(Array.from({ length: 6_000 }, (_, at) => [`k${at}`, 0])) }],
  ])('beside what is not, is read within a limit of work: %s', (text, long) => {
    const evaluation = new Evaluation({ answer: long, request: {} });
    const expression = parseExpression(text);
    const startedAt = threadMs();
    expect(() => {
      for (let row = 0; row < 1_000; row += 1) evaluation.value(expression, { code: `${row}` });
    }).toThrow('read too much');
    // Some 50 ms on a fast machine; without the limit, most take a second and more.
    expect(threadMs() - startedAt).toBeLessThan(slowed(250));
  });
});
