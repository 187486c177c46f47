import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { claim } from '../../test/support/claim.js';
import { configSchema } from '../config/config.schema.js';
import { contextOfApplication } from '../context/fixtures/context.js';
import { RequestContext } from '../context/request-context.js';
import { UnreadAnswers } from './unread-answers.js';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

const MB = 1_000_000;
/** What a search reserves (src/catalog/catalog.service.ts). */
const BYTES_PER_OFFER = 5_500;

function world() {
  const unread = new UnreadAnswers({ unreadBytes: 10 * MB, requestBudgetMs: 8_000 });
  const log: string[] = [];
  /** A request of an account (the first letter of its name) that needs `bytes`; its name is logged when it has them. */
  const ask = (name: string, bytes: number): RequestContext => {
    const context = contextOfApplication(`app_${name}`, 0, { accountId: `acc_${name.charAt(0)}` });
    const room = unread.reserve(context, bytes);
    if (room) room.then(() => log.push(name)).catch((error: Error) => log.push(`${name} ${error.message}`));
    else log.push(name);
    return context;
  };
  const settle = () => jest.advanceTimersByTimeAsync(0);
  return { unread, log, ask, settle };
}

describe('the room for unread answers', () => {
  it('is limited per account, whichever of its applications asks; calls beyond it wait in order until earlier answers were read', async () => {
    const { ask, log, settle } = world();
    const [first] = ['a1', 'a2', 'a3', 'a4', 'b1'].map((name) => ask(name, 5 * MB));
    expect(log).toEqual(['a1', 'a2', 'b1']);
    first?.end();
    await settle();
    expect(log).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('is not waited for by a call whose client has left before', async () => {
    const { unread, ask, log, settle } = world();
    const first = ask('a1', 9 * MB);
    const left = contextOfApplication('app_a2', 0, { accountId: 'acc_a' });
    left.cancel('client_disconnected');
    void unread.reserve(left, 9 * MB)?.then(
      () => log.push('a2'),
      (error: Error) => log.push(`a2 ${error.message}`),
    );
    ask('a3', 9 * MB);
    await settle();
    first.end();
    await settle();
    expect(log).toEqual(['a1', 'a3']);
  });

  it('counts what an answer really takes', async () => {
    const { unread, ask, log, settle } = world();
    const small = ask('a1', 9 * MB);
    ask('a2', 5 * MB);
    unread.hold(small, 2 * MB);
    await settle();
    expect(log).toEqual(['a1', 'a2']);
    const large = ask('a3', 1 * MB);
    unread.hold(large, 8 * MB);
    ask('a4', 0);
    expect(log).toEqual(['a1', 'a2', 'a3']);
    large.end();
    await settle();
    expect(log.at(-1)).toBe('a4');
  });

  it('is reserved as much as the answers of an account probably need, for at most four times as much as there is', async () => {
    const { unread, ask, log } = world();
    const first = ask('a0', 5 * MB);
    unread.hold(first, MB / 2);
    first.end();
    for (let number = 1; number <= 9; number += 1) ask(`a${number}`, 5 * MB);
    // Each probably needs 1 MB and can have 5.
    expect(log).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'a8']);
    ask('b1', 5 * MB);
    ask('b2', 5 * MB);
    ask('b3', 5 * MB);
    expect(log.slice(9)).toEqual(['b1', 'b2']);
  });

  it.each([
    [1_000, 5, 23],
    [200, 29, 116],
  ])(
    'takes, of answers with %i offers, %i of an account at first, and %i of one whose answers are short (docs/limits.md)',
    (offers, first, later) => {
      const unread = new UnreadAnswers(configSchema.parse({}).http);
      const ask = () => {
        const context = contextOfApplication('app_a', 0, { accountId: 'acc_a' });
        return { context, hasRoom: unread.reserve(context, offers * BYTES_PER_OFFER) === undefined };
      };
      const fill = () => {
        const asked: RequestContext[] = [];
        for (let one = ask(); ; one = ask()) {
          asked.push(one.context);
          if (!one.hasRoom) break;
        }
        for (const context of asked) context.cancel('client_disconnected');
        for (const context of asked) context.end();
        return asked.length - 1;
      };
      expect(fill()).toBe(first);
      const { context } = ask();
      unread.hold(context, 100_000);
      context.end();
      expect(fill()).toBe(later);
    },
  );

  it('is reserved for a long answer again immediately, and for short ones only after many', () => {
    const { unread, ask, log } = world();
    const answer = (name: string, bytes: number): void => {
      const context = ask(name, 5 * MB);
      unread.hold(context, bytes);
      // Compressed.
      unread.hold(context, bytes / 10);
      context.end();
    };
    answer('a1', MB / 2);
    answer('a2', 4 * MB);
    answer('a3', MB / 2);
    ['a4', 'a5', 'a6'].forEach((name) => {
      ask(name, 5 * MB);
    });
    expect(log).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it('grows with an answer that is written in parts, and never shrinks before its end', () => {
    const { unread, ask, log } = world();
    const lines = ask('a1', 5 * MB);
    unread.grow(lines, MB);
    unread.grow(lines, 6 * MB);
    ask('a2', 5 * MB);
    expect(log).toEqual(['a1']);
    ask('a3', 0);
    expect(log).toEqual(['a1', 'a3']);
  });

  it('is given to an answer over the limit if it is the only one', async () => {
    const { ask, log, settle } = world();
    const small = ask('a1', 1);
    ask('a2', 50 * MB);
    expect(log).toEqual(['a1']);
    small.end();
    await settle();
    expect(log).toEqual(['a1', 'a2']);
  });

  it('is refused with a 429 after a quarter of the request budget', async () => {
    const { ask, log } = world();
    ask('a1', 10 * MB);
    ask('a2', 1);
    await jest.advanceTimersByTimeAsync(1_999);
    expect(log).toEqual(['a1']);
    await jest.advanceTimersByTimeAsync(1);
    expect(log.at(-1)).toMatch(/^a2 .*not read yet reach 10 MB\. Read them before you request more/);
  });

  claim(
    'API2',
    'A call that waits for room for its answer is not carried out if its token is revoked meanwhile.',
    async () => {
      const { unread, ask, settle, log } = world();
      const first = ask('a1', 10 * MB);
      const revoked = contextOfApplication('app_a2', 0, { accountId: 'acc_a' });
      revoked.acceptedBy(() => Promise.reject(new Error('revoked')));
      const room = unread.reserve(revoked, 10 * MB);
      const refused = expect(room).rejects.toThrow('revoked');
      first.end();
      await settle();
      await refused;
      revoked.end();
      await settle();
      // Its room is free for others.
      ask('a3', 10 * MB);
      expect(log).toEqual(['a1', 'a3']);
    },
  );

  it('is not kept for a client that disconnects while it waits, nor for one that disconnects afterwards', async () => {
    const { ask, log, settle } = world();
    const first = ask('a1', 10 * MB);
    const left = ask('a2', 10 * MB);
    left.cancel('client_disconnected');
    first.end();
    ask('a3', 10 * MB);
    await settle();
    expect(log).toEqual(['a1', 'a3']);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(log).toEqual(['a1', 'a3']);
  });

  it('is not limited without an account', () => {
    const { unread } = world();
    expect(unread.reserve(new RequestContext('req_1', 0), 100 * MB)).toBeUndefined();
  });

  it('is free again after any sequence of requests', async () => {
    const { unread, ask, log, settle } = world();
    const all: RequestContext[] = [];
    for (let number = 0; number < 500; number += 1) {
      const context = ask(`a${number}`, ((number * 37) % 11) * MB);
      all.push(context);
      if (number % 3 === 0) unread.hold(context, ((number * 13) % 7) * MB);
      if (number % 5 === 0) all[(number * 7) % all.length]?.cancel('client_disconnected');
      if (number % 2 === 0) all[(number * 11) % all.length]?.end();
      await settle();
    }
    await jest.advanceTimersByTimeAsync(10_000);
    for (const context of all) context.end();
    await settle();
    ask('last', 10 * MB);
    expect(log.at(-1)).toBe('last');
  });
});
