import { gw, gwInThread } from '../support/gw.js';

describe('the thread in which specs run gw', () => {
  test.each([
    [['apps', 'create', 'X', '--tier', 'golden'], { FORECOURT_ENV: 'elsewhere' }, 2],
    [['adapter', 'validate'], {}, 0],
  ])('exits, prints and reads its variables as a process does: gw %j %j', (words, env, status) => {
    const said = gwInThread(words, env);
    expect(said).toEqual(gw(words, env));
    expect(said.status).toBe(status);
  });
});
