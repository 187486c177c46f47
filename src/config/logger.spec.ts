import { expect, it } from '@jest/globals';
import { createLogger } from './logger.js';

it('masks card numbers in every line, wherever they are', () => {
  const written: string[] = [];
  const logger = createLogger('info', { write: (line: string) => void written.push(line) });
  logger.info({ why: 'declined: 4111 1111 1111 1111' }, 'card 4111.1111.1111.1111 refused');
  logger.error({ err: new Error('no card 4111111111111111') }, 'failed');
  const lines = written.join('');
  expect(lines.match(/\[card number\]/g)?.length).toBeGreaterThanOrEqual(4);
  expect(lines).not.toMatch(/1111/);
  expect(
    lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { service: string }).service),
  ).toEqual(['forecourt', 'forecourt']);
});
