import { eventWords } from './event-words.js';

const ME = 'acc_1';

describe('eventWords', () => {
  test.each([
    [{ actor: ME, action: 'password_changed', before: null, after: null }, 'You changed the password.'],
    [
      { actor: 'ops', action: 'role_changed', before: null, after: { role: 'ops' } },
      'An operator changed the role to operator.',
    ],
    [
      { actor: 'acc_2', action: 'role_changed', before: null, after: null },
      'An operator changed the role to developer.',
    ],
    [
      { actor: 'system', action: 'product_unsubscribed', before: { product: 'p' }, after: null },
      'The gateway unsubscribed the application from P.',
    ],
    [{ actor: ME, action: 'constructor', before: null, after: null }, 'You constructor.'],
    [{ actor: ME, action: 'moon_moved', before: null, after: 'x' }, 'You moon moved.'],
  ])('%j: %s', (event, words) => expect(eventWords(event, ME, (id) => id.toUpperCase())).toBe(words));
});
