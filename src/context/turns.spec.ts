import { expect, it } from '@jest/globals';
import { Turns } from './turns.js';

it('lets applications take turns, one piece per turn of the event loop', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const piece = async (application: string, name: string): Promise<void> => {
    await turns.next(application);
    log.push(name);
  };
  const pieces = ['a1', 'a2', 'a3', 'b1', 'b2'].map((name) => piece(name.charAt(0), name));
  const beat = (): void => {
    log.push('-');
    if (log.length < 10) setImmediate(beat);
  };
  setImmediate(beat);
  await Promise.all(pieces);
  expect(log.slice(0, 9).join(' ')).toBe('a1 - b1 - a2 - b2 - a3');
});

it('does work that comes after a pause', async () => {
  const turns = new Turns();
  await turns.next('a');
  await new Promise((resolve) => setImmediate(resolve));
  await expect(turns.next('a')).resolves.toBeUndefined();
});
