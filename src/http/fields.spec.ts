import { expect, it } from '@jest/globals';
import { text, UNSEEN } from './fields.js';

it.each(['Car \ud83d', '\ude97 car', 'Car\0', 'Car\u2028s', '\u202eraC'])(
  'neither a text nor a name may be %j',
  (value) => {
    expect([text(10).safeParse(value).success, UNSEEN.test(value)]).toEqual([false, true]);
  },
);

it('complete characters of every plane are text', () => {
  expect(text(10).parse(' Käse 🚗 ')).toBe('Käse 🚗');
  expect(UNSEEN.test('Käse 🚗')).toBe(false);
});
