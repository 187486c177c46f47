import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
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
