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
    ['password1234', /first that are guessed/],
    ['Password12345!', /first that are guessed/],
    ['QWERTYUIOPAS', /first that are guessed/],
    ['qwertyuiopasdfgh', /first that are guessed/],
    ['123456789012', /first that are guessed/],
    ['098765432109', /first that are guessed/],
    ['zyxwvutsrqponm', /first that are guessed/],
    ['aaaaaaaaaaaaaa', /first that are guessed/],
    ['abcabcabcabcab', /first that are guessed/],
    ['iloveyou1234567', /first that are guessed/],
    ['1q2w3e4r5t6y', /first that are guessed/],
    ['correcthorsebatterystaple', /first that are guessed/],
    ['the SAMPLE of a word', /your name/],
    ['my rental password', /your name/],
    ['ＳＡＭＰＬＥ of a word', /your name/],
    ['forecourt is nice', /name of this site/],
  ])('%j is refused with what to do', (password, why) => expect(passwordProblem(password, OWNER)).toMatch(why));
});
