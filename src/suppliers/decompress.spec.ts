import { gzipSync } from 'node:zlib';
import { describe, expect, it, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { loopLag } from '../metrics/loop-lag.js';
import { decompress, SliceQueue } from './decompress.js';
import { emptyBlocks } from './fixtures/empty-blocks.js';

const MOST_BYTES = 8_000_000;
const unpack = (body: Buffer, isOver = () => false): Promise<Buffer> =>
  decompress({ supplier: 'uno', body, mostBytes: MOST_BYTES, isOver });

/** Compresses badly. */
const noise = Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * at * 31 + (at >> 3) * 7) % 251));

describe('a compressed answer', () => {
  it.each([0, 1, 65_536, 1_000_000])('is what the supplier compressed (%d bytes more)', async (more) => {
    const sent = Buffer.concat([noise, Buffer.alloc(more, 'ab')]);
    expect((await unpack(gzipSync(sent))).equals(sent)).toBe(true);
  });

  it('may be followed by zeros', async () => {
    for (const more of [1, 200_000])
      expect((await unpack(Buffer.concat([gzipSync(noise), Buffer.alloc(more)]))).equals(noise)).toBe(true);
  });

  it.each([
    ['is cut off', gzipSync(noise).subarray(0, -9)],
    ['is not gzip', Buffer.alloc(100_000, 'a')],
    ['becomes too large', gzipSync(Buffer.alloc(MOST_BYTES + 1))],
  ])('that %s is rejected', async (_case, body) => {
    await expect(unpack(body)).rejects.toThrow(/unexpected end|incorrect header|larger than 8000000 bytes/);
  });

  it('of which nothing is needed anymore is not decompressed further', async () => {
    let asked = 0;
    const isOver = (): boolean => ++asked > 2;
    await expect(unpack(emptyBlocks(MOST_BYTES), isOver)).rejects.toMatchObject({ fault: 'cancelled' });
    expect(asked).toBe(3);
  });
});

claim(
  ['API10', 'suppliers'],
  'Decompressing an answer that contains nothing ends after 100 ms, as the bad payload of its supplier, and one supplier never occupies more than one thread with it.',
  async () => {
    const lags = jest.spyOn(Object.getPrototypeOf(loopLag) as typeof loopLag, 'isLagging', 'get');
    const failure = () => unpack(emptyBlocks(MOST_BYTES)).catch((error: unknown) => error);
    lags.mockReturnValue(false);
    const message = 'the answer takes more than 100 ms to decompress';
    expect(await failure()).toMatchObject({ fault: 'bad_payload', message });
    // Just after work that held up this process, the time doesn't count as the supplier's.
    lags.mockReturnValue(true);
    expect(await failure()).toMatchObject({ fault: 'unavailable' });
    lags.mockRestore();
    const queue = new SliceQueue();
    const running: string[] = [];
    const ends: (() => void)[] = [];
    const work = (supplier: string): Promise<number> =>
      queue.run(supplier, async () => {
        running.push(supplier);
        await new Promise<void>((resolve) => ends.push(resolve));
        running.splice(running.indexOf(supplier), 1);
      });
    const all = [...Array.from({ length: 10 }, () => work('uno')), work('due'), work('tre'), work('quattro')];
    await new Promise(setImmediate);
    expect(running).toEqual(['uno', 'due', 'tre']);
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise(setImmediate);
      expect(running.filter((one) => one === 'uno').length).toBeLessThanOrEqual(1);
    }
    await Promise.all(all);
  },
);
