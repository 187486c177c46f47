import { passwordProblem } from './password-rules.js';

const OWNER = { name: 'Ada Sample', email: 'ada.sample-dev@rental.example' };

describe('passwordProblem', () => {
  test.each([
    'three quiet herons',
    'correct lama battery 9',
    'aaaaaaaaaaab twelve',
    'žluťoučký kůň pěl',
    '🐢🐢 slow and steady 🐢',
    'nada y nadie aqui',
    '             x            y',
    'k9#mQ2!vL5@x',
    `${'many kinds of fish '.repeat(6)}swim`,
  ])('%j is taken, whatever its characters are', (password) =>
    expect(passwordProblem(password, OWNER)).toBeUndefined(),
  );

  test.each([
    ['eleven char', /at least 12/],
    ['🐢'.repeat(11), /at least 12/],
    [`${'long words '.repeat(12)}`, /at most 128/],
    ['password1234', /too easy to guess/],
    ['Password12345!', /too easy to guess/],
    ['QWERTYUIOPAS', /too easy to guess/],
    ['qwertyuiopasdfgh', /too easy to guess/],
    ['123456789012', /too easy to guess/],
    ['098765432109', /too easy to guess/],
    ['zyxwvutsrqponm', /too easy to guess/],
    ['aaaaaaaaaaaaaa', /too easy to guess/],
    ['abcabcabcabcab', /too easy to guess/],
    ['iloveyou1234567', /too easy to guess/],
    ['1q2w3e4r5t6y', /too easy to guess/],
    ['correcthorsebatterystaple', /too easy to guess/],
    ['the SAMPLE of a word', /your name/],
    ['my rental password', /your name/],
    ['ＳＡＭＰＬＥ of a word', /your name/],
    ['forecourt is nice', /name of this site/],
  ])('%j is refused with what to do', (password, why) => expect(passwordProblem(password, OWNER)).toMatch(why));
});
