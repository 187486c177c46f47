import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { LogDestination } from './config/log-destination.js';
import { endByForce } from './forced-end.js';

it('ends the process although its log is a pipe from which nothing is read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-forced-'));
  const pipe = join(folder, 'log');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const log = openSync(pipe, constants.O_WRONLY);
  expect(() => {
    while (writeSync(reader, 'x'.repeat(4_096)) > 0);
  }).toThrow('EAGAIN');
  const destination = new LogDestination(log);
  let ended = false;
  const error = (line: unknown) => destination.write(`${line}\n`);
  endByForce({ error, flush: () => destination.flush() }, () => {
    ended = true;
  });
  await wait(700);
  expect(ended).toBe(true);
  // The line is written once there is room, by a thread that may need a moment.
  let text = '';
  const buffer = Buffer.alloc(65_536);
  for (let look = 0; look < 300 && !text.endsWith('SIGKILL\n'); look += 1) {
    await wait(10);
    try {
      text += buffer.toString('utf8', 0, readSync(reader, buffer));
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
  }
  expect(text.slice(-8)).toBe('SIGKILL\n');
  closeSync(log);
  closeSync(reader);
  rmSync(folder, { recursive: true });
});
