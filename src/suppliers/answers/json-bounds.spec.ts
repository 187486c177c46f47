import { describe, expect, it } from '@jest/globals';
import { isUnboundedJson } from './json-bounds.js';

const nested = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth);
const text = JSON.stringify({ note: `${'[{'.repeat(500)} "quoted" \\`, more: 'x'.repeat(1_000) });

describe('isUnboundedJson', () => {
  it('does not check small bodies', () => {
    expect(isUnboundedJson(Buffer.from(nested(1_000)))).toBe(false);
  });

  it.each<[string, string, boolean]>([
    ['128 levels', nested(128), false],
    ['129 levels', nested(129), true],
    ['129 objects', nested(129, '{"a":', '}'), true],
    ['a million unclosed levels', '['.repeat(1_000_000), true],
    ['deep after white space and a byte order mark', `\ufeff \r\n\t${nested(200)}`, true],
    ['many siblings', JSON.stringify(Array.from({ length: 5_000 }, () => [{ a: [] }])), false],
    ['more than half a million arrays', `[${'[],'.repeat(500_001)}[]]`, true],
    ['brackets, quotes and backslashes in texts', text, false],
    ['deep after a text that ends in a backslash', `{"a":"\\\\","b":${nested(200)}}`, true],
    ['XML', `<a>${nested(300)}</a>`, false],
    ['HTML', `<!doctype html>${'{'.repeat(300)}`, false],
    ['an empty body', '', false],
  ])('%s', (_case, body, expected) => {
    expect(isUnboundedJson(Buffer.from(body + ' '.repeat(65_536)))).toBe(expected);
  });
});
