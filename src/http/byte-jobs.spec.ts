import { describe, expect, it } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { ByteJobs } from './byte-jobs.js';
import { sharedBytes } from './shared-bytes.js';

/** Jobs whose bytes say whose they are; the test ends them, in the order in which they began. */
function world() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const job = (bytes: Buffer): Promise<Buffer> => {
    begun.push(bytes.toString());
    return new Promise((resolve) => ends.push(() => resolve(Buffer.from(`${bytes}!`))));
  };
  const jobs = new ByteJobs({ compress: job, decompress: job });
  const answer = (caller: string, text = `answer of ${caller}`) =>
    jobs.tryCompress(caller, Buffer.from(text), 'gzip').then((bytes) => bytes?.toString());
  const page = (caller: string) => jobs.pack(caller, Buffer.from(`page of ${caller}`));
  const endAll = async (): Promise<void> => {
    do {
      ends.shift()?.();
      await new Promise(setImmediate);
    } while (ends.length > 0);
  };
  return { jobs, begun, answer, page, endAll };
}

const times = <T>(count: number, work: () => T): T[] => Array.from({ length: count }, work);

describe('compressing', () => {
  claim(
    'API4',
    'However many answers of one caller wait to be compressed, a page of a search that is kept or read is next, and then an answer of another caller.',
    async () => {
      const { jobs, begun, answer, page, endAll } = world();
      times(31, () => answer('stranger'));
      const waiting = [
        ...[answer('tenant'), page('tenant'), page('tenant')],
        jobs.unpack('tenant', Buffer.from('kept page of tenant'), 100),
      ];
      await endAll();
      await Promise.all(waiting);
      expect(begun.slice(0, 6)).toEqual([
        'answer of stranger',
        ...['page of tenant', 'page of tenant', 'kept page of tenant'],
        ...['answer of stranger', 'answer of tenant'],
      ]);
    },
  );

  it('is done for callers in rotation, pages and answers alike', async () => {
    const { begun, answer, page, endAll } = world();
    void answer('first');
    times(3, () => page('greedy'));
    times(2, () => page('modest'));
    times(3, () => answer('greedy'));
    times(2, () => answer('modest'));
    await endAll();
    expect(begun.slice(1).map((one) => one.replace(' of ', ' '))).toEqual([
      ...['page greedy', 'page modest', 'page greedy', 'page modest', 'page greedy'],
      ...['answer greedy', 'answer modest', 'answer greedy', 'answer modest', 'answer greedy'],
    ]);
  });

  it('of answers goes on beside a flood of pages', async () => {
    const { begun, answer, page, endAll } = world();
    times(40, () => page('greedy'));
    times(2, () => answer('modest'));
    await endAll();
    expect(begun.flatMap((one, index) => (one.startsWith('answer') ? [index] : []))).toEqual([11, 22]);
  });

  it('is left out for the newest answers of the caller with the most, if more than 30 wait', async () => {
    const { answer, endAll } = world();
    const greedy = times(40, () => answer('greedy'));
    const modest = times(2, () => answer('modest'));
    await endAll();
    expect((await Promise.all(modest)).filter((text) => text === undefined)).toEqual([]);
    const sent = (await Promise.all(greedy)).map((text) => text !== undefined);
    expect(sent).toEqual([...times(29, () => true), ...times(11, () => false)]);
  });

  it('goes on after a job that failed', async () => {
    const failing = new ByteJobs({
      compress: () => Promise.reject(new Error('no')),
      decompress: (packed) => Promise.resolve(packed),
    });
    const [one, other] = [failing.pack('a', Buffer.from('1')), failing.unpack('a', Buffer.from('2'), 10)];
    await expect(one).rejects.toThrow('no');
    expect(String(await other)).toBe('2');
  });
});

describe('a document that many responses share', () => {
  claim(
    'API4',
    'A document that is the same for everyone, such as the API description, is compressed once per coding, however often it is requested.',
    async () => {
      const { jobs, begun, endAll } = world();
      const document = sharedBytes('document');
      const requested = times(50, () => jobs.tryCompress('stranger', document, 'gzip'));
      await endAll();
      requested.push(jobs.tryCompress('tenant', document, 'gzip'));
      await endAll();
      expect(new Set((await Promise.all(requested)).map(String))).toEqual(new Set(['document!']));
      expect(begun).toEqual(['document']);
      void jobs.tryCompress('stranger', document, 'zstd');
      await endAll();
      expect(begun).toEqual(['document', 'document']);
    },
  );

  it('that was left out or failed is tried again', async () => {
    const document = sharedBytes('document');
    let fails = true;
    const compress = async (): Promise<Buffer> => {
      if (fails) throw new Error('no');
      return Buffer.from('short');
    };
    const jobs = new ByteJobs({ compress, decompress: (packed) => Promise.resolve(packed) });
    await expect(jobs.tryCompress('a', document, 'gzip')).rejects.toThrow('no');
    fails = false;
    expect(String(await jobs.tryCompress('a', document, 'gzip'))).toBe('short');
  });
});
