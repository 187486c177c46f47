import { eventWords } from './event-words.js';

const ME = 'acc_1';

describe('eventWords', () => {
  test.each([
    [{ actor: ME, action: 'password_changed', before: null, after: null }, 'You changed the password.'],
    [
      { actor: 'ops', action: 'role_changed', before: null, after: { role: 'ops' } },
      'Operations changed what the account may do: ops.',
    ],
    [
      { actor: 'acc_2', action: 'role_changed', before: null, after: null },
      'Operations changed what the account may do: developer.',
    ],
    [
      { actor: 'system', action: 'product_unsubscribed', before: { product: 'p' }, after: null },
      'The gateway ended the subscription to P.',
    ],
    [{ actor: ME, action: 'constructor', before: null, after: null }, 'You constructor.'],
    [{ actor: ME, action: 'moon_moved', before: null, after: 'x' }, 'You moon moved.'],
  ])('%j: %s', (event, words) => expect(eventWords(event, ME, (id) => id.toUpperCase())).toBe(words));
});
