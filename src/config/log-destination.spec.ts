import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { threadMs } from '../../test/support/thread-time.js';
import { LogDestination } from './log-destination.js';

/** Everything that was written to a file by `work`. */
async function writtenBy(work: (destination: LogDestination) => Promise<void>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-log-'));
  const file = join(folder, 'log');
  const fd = openSync(file, 'w');
  try {
    await work(new LogDestination(fd));
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}

const LINES = Array.from({ length: 20_000 }, (_, number) => `{"number":${number},"text":"Zürich ${'x'.repeat(60)}"}\n`);

describe('the destination of log lines', () => {
  it('writes every line once, in order, in the background', async () => {
    const text = await writtenBy(async (destination) => {
      for (const [index, line] of LINES.entries()) {
        destination.write(line);
        if (index % 1_000 === 0) await wait(1);
      }
      destination.flush();
      await wait(300);
      destination.flush();
      await wait(300);
    });
    expect(text).toBe(LINES.join(''));
  });

  it('writes what waits before it returns when the process exits', async () => {
    const text = await writtenBy(async (destination) => {
      destination.write('one\n');
      destination.write('two\n');
      destination.flushSync();
      destination.flushSync();
    });
    expect(text).toBe('one\ntwo\n');
  });

  it('says how many lines were lost while nothing could be written', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'forecourt-log-'));
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    // Nothing reads it at first.
    const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
    const destination = new LogDestination(fd, 500_000);
    for (const line of LINES) destination.write(line);
    const bytes = Buffer.alloc(65_536);
    let text = '';
    for (let idle = 0; idle < 20; idle += 1) {
      await wait(20);
      destination.flush();
      try {
        text += bytes.toString('utf8', 0, readSync(fd, bytes));
        idle = 0;
      } catch (error) {
        expect(error).toMatchObject({ code: 'EAGAIN' });
      }
    }
    closeSync(fd);
    const written = text.trimEnd().split('\n');
    const losses = written.flatMap((line) =>
      line.includes('log lines were lost') ? [JSON.parse(line) as { count: number }] : [],
    );
    expect(losses.reduce((sum, { count }) => sum + count, written.length - losses.length)).toBe(LINES.length);
    expect(losses.length).toBeGreaterThan(0);
    rmSync(folder, { recursive: true });
  });

  it('neither throws, blocks nor grows without bound on a full disk', async () => {
    const fd = openSync('/dev/full', 'w');
    try {
      const destination = new LogDestination(fd);
      const before = process.memoryUsage().rss;
      for (let round = 0; round < 20; round += 1) for (const line of LINES) destination.write(line);
      destination.flush();
      await wait(50);
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
      const startedAt = threadMs();
      destination.flushSync();
      expect(threadMs() - startedAt).toBeLessThan(1_000);
    } finally {
      // A write that is in progress would fail on another file of the same number.
      await wait(1_100);
      closeSync(fd);
    }
  });
});
