import { serialize } from 'node:v8';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { withOwnTexts } from './own-texts.js';

/** Whether V8 keeps a text with one byte per character: its serialization marks it with a quotation mark. */
const isOneByte = (text: string) => serialize(text)[2] === 0x22;

const FILE = '# An en dash – in a comment.\nurl: https://supplier.example.com/v2\nname: Škoda\nlist: [one, 2, null]\n';

it('a text of a file with a character outside Latin-1 has one byte per character, unless it has such a character', () => {
  const parsed = parse(FILE) as { url: string; name: string };
  // Otherwise this test would prove nothing.
  expect(isOneByte(parsed.url)).toBe(false);
  const own = withOwnTexts(parsed);
  expect([isOneByte(own.url), isOneByte(own.name)]).toEqual([true, false]);
  expect(own).toEqual({ url: 'https://supplier.example.com/v2', name: 'Škoda', list: ['one', 2, null] });
});
