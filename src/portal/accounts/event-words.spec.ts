import { saidPlainly } from './event-words.js';

const ME = 'acc_1';

describe('saidPlainly', () => {
  test.each([
    [{ action: 'password_changed', subject: ME, after: null }, 'The password was changed'],
    [{ action: 'role_changed', subject: ME, after: { role: 'ops' } }, 'What the account may do was changed: ops'],
    [{ action: 'role_changed', subject: ME, after: { role: 'developer' } }, 'What the account may do was changed: developer'],
    [{ action: 'secret_shown', subject: 'app_1', after: { secrets: [] } }, 'Client secrets were shown (app_1)'],
    [{ action: 'launch_requested', subject: 'app_1', after: null }, 'Launch requested (app_1)'],
    [{ action: 'constructor', subject: ME, after: null }, 'Constructor'],
  ])('%j: %s', (event, words) => expect(saidPlainly(event, ME)).toBe(words));
});
