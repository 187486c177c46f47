import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { longestTurn } from '../../../test/support/longest-turn.js';
import type { SupplierBooking } from '../../model/bookings.js';
import {
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierHttp,
  type SupplierHttpCall,
} from '../../model/supplier.js';
import { boundedAdapter, type EngineContext, INLINE_BYTES, type ReadElsewhere } from './bounded-adapter.js';
import type { Naming } from './names-another.js';
import { type Recording, replay } from './replay.js';

const SMALL = 'small';
const LARGE = 'x'.repeat(INLINE_BYTES + 1);
const BOOKING: SupplierBooking = { status: 'confirmed', confirmationNumber: 'A1', ref: {} };
const EMPTY: SupplierAnswer<never> = { items: [], warnings: [] };
const key = { brand: 'Uno', ref: {} } as never;
const get = (path: string): SupplierHttpCall => ({ method: 'GET', path });
const post = (path: string, body: string): SupplierHttpCall => ({ method: 'POST', path, body });

/**
 * An adapter whose `retrieve` runs `work`, read elsewhere by replay in this thread; the supplier answers `answers` by
 * path and body.
 */
function world(
  work: (http: SupplierHttp) => Promise<SupplierBooking>,
  answers: Readonly<Record<string, string | Error>>,
) {
  const sent: string[] = [];
  const recordings: Recording[] = [];
  let runs = 0;
  const adapter: SupplierAdapter = {
    brandsPerCall: 'many',
    book: async (_request, { http }) => {
      runs += 1;
      return work(http);
    },
  };
  const elsewhere: ReadElsewhere = (recording) => {
    recordings.push(structuredClone(recording));
    return replay(adapter, recording);
  };
  const send: SupplierHttp['send'] = async ({ path, body = '' }) => {
    sent.push(path + body);
    const answer = answers[path + body] ?? new SupplierError('unavailable', `no ${path}${body}`);
    if (answer instanceof Error) throw answer;
    return { status: 200, headers: {}, body: Buffer.from(answer) };
  };
  const context: SupplierContext = { http: { send }, requestId: 'req_1', environment: 'sandbox', now: 7 };
  const book = () => boundedAdapter(adapter, elsewhere).book?.(key, context);
  return { book, sent, recordings, runs: () => runs };
}

async function read(http: SupplierHttp, call: SupplierHttpCall, repeatable = false): Promise<string> {
  return String((await http.send(call, repeatable)).body);
}

claim(
  ['API4', 'API10', 'suppliers'],
  'Answers that a supplier gives in one moment are read in turns of the event loop, account by account.',
  async () => {
    const order: string[] = [];
    const adapter: SupplierAdapter = {
      brandsPerCall: 'many',
      book: async (_request, { http, requestId }) => {
        await http.send(get('/'));
        order.push(requestId);
        for (const endMs = performance.now() + 6; performance.now() < endMs; );
        return BOOKING;
      },
    };
    const given = Promise.withResolvers<{ status: number; headers: object; body: Buffer }>();
    const http = { send: () => given.promise } as SupplierHttp;
    const ask = (account: string, requestId: string) => {
      const context: EngineContext = { http, account, requestId, environment: 'sandbox', now: 7 };
      return boundedAdapter(adapter).book?.(key, context);
    };
    const done = Promise.all([...Array.from({ length: 50 }, () => ask('acc_one', 'one')), ask('acc_two', 'two')]);
    given.resolve({ status: 200, headers: {}, body: Buffer.from(SMALL) });
    const { longest, all } = await longestTurn(done);
    // Two answers of 6 ms per turn; without turns, one of all 51. The machine may pause.
    expect(longest).toBeLessThan(all / 3);
    expect(order).toHaveLength(51);
    expect(order.indexOf('two')).toBeLessThan(4);
  },
);

describe('an operation', () => {
  it('with small answers is read where they arrive', async () => {
    const { book, recordings, runs } = world(
      async (http) => {
        expect(await read(http, get('/a'))).toBe(SMALL);
        return BOOKING;
      },
      { '/a': SMALL },
    );
    expect(await book()).toEqual(BOOKING);
    expect([recordings.length, runs()]).toEqual([0, 1]);
  });

  it('reads a large answer again in a worker thread, and sends nothing twice', async () => {
    const { book, sent, recordings } = world(
      async (http) => {
        const first = await read(http, post('/hold', '1'));
        const second = await read(http, post('/confirm', String(first.length)));
        return { ...BOOKING, confirmationNumber: `${first.length} ${second}` };
      },
      { '/hold1': LARGE, [`/confirm${LARGE.length}`]: SMALL },
    );
    expect(await book()).toEqual({ ...BOOKING, confirmationNumber: `${LARGE.length} ${SMALL}` });
    expect(sent).toEqual(['/hold1', `/confirm${LARGE.length}`]);
    expect(recordings.map(({ calls }) => calls.length)).toEqual([1, 2]);
    expect(recordings[0]).toMatchObject({
      operation: 'book',
      question: key,
      context: { requestId: 'req_1', environment: 'sandbox', now: 7 },
    });
  });

  it('waits for the calls that were in progress when the large answer arrived', async () => {
    const { book, sent } = world(
      async (http) => {
        const texts = await Promise.all([read(http, get('/a')), read(http, get('/b')), read(http, get('/c'))]);
        return { ...BOOKING, confirmationNumber: texts.map(({ length }) => length).join() };
      },
      { '/a': SMALL, '/b': LARGE, '/c': SMALL },
    );
    expect(await book()).toMatchObject({ confirmationNumber: `5,${LARGE.length},5` });
    expect(sent).toEqual(['/a', '/b', '/c']);
  });

  it('makes equal calls as often as the adapter makes them', async () => {
    const { book, sent } = world(
      async (http) => {
        await Promise.all([read(http, get('/a')), read(http, get('/a'))]);
        await read(http, get('/a'));
        return BOOKING;
      },
      { '/a': LARGE },
    );
    await book();
    expect(sent).toEqual(['/a', '/a', '/a']);
  });

  it('ends with the error of its call, which is the same object', async () => {
    const error = new SupplierError('throttled', 'slow down', false);
    const { book } = world(
      async (http) => {
        await read(http, get('/a'));
        await read(http, get('/b'));
        return BOOKING;
      },
      { '/a': LARGE, '/b': error },
    );
    await expect(book()).rejects.toBe(error);
  });

  it('ends with the refusal that the adapter reads', async () => {
    const { book } = world(
      async (http) => {
        throw new SupplierError('rejected', `no ${(await read(http, get('/a'))).length}`, true, {
          refusal: 'sold_out',
        });
      },
      { '/a': LARGE },
    );
    await expect(book()).rejects.toMatchObject({
      fault: 'rejected',
      message: `no ${LARGE.length}`,
      refusal: 'sold_out',
    });
  });

  it('of an adapter that makes other calls each time is broken, and is not sent again', async () => {
    let random = 0;
    const { book, sent } = world(
      async (http) => {
        random += 1;
        await read(http, post('/book', String(random)));
        return BOOKING;
      },
      { '/book1': LARGE, '/book2': SMALL },
    );
    await expect(book()).rejects.toThrow('the adapter makes other calls for the same question and answers');
    expect(sent).toEqual(['/book1']);
  });

  it('whose answers are too large together is a bad payload', async () => {
    const page = 'x'.repeat(1_900_000);
    const { book, sent } = world(
      async (http) => {
        for (let number = 1; ; number += 1) await read(http, get(`/page${number}`), true);
      },
      Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`/page${index + 1}`, page])),
    );
    await expect(book()).rejects.toMatchObject({
      fault: 'bad_payload',
      message: 'the answers of one operation are larger than 8000000 bytes',
    });
    expect(sent.length).toBe(5);
  });

  it.each([SMALL, LARGE])('whose result exceeds a limit is a bad payload (%#)', async (text) => {
    const { book } = world(async (http) => ({ ...BOOKING, reference: (await read(http, get('/a'))).padEnd(101) }), {
      '/a': text,
    });
    await expect(book()).rejects.toMatchObject({
      fault: 'bad_payload',
      message: expect.stringMatching(/^reference has \d+ characters/),
    });
  });
});

describe('an operation about a reservation', () => {
  const naming: Naming = { reference: 'res_aaaaaaaaaaaaaaaaaaaa', isByNumber: false, renter: undefined };
  const another = '{"reference":"res_b2b2b2b2b2b2b2b2b2b2"}';
  const booked = (body: string, elsewhere: (adapter: SupplierAdapter) => ReadElsewhere) => {
    const adapter: SupplierAdapter = {
      brandsPerCall: 'many',
      book: async (_request, { http }) => {
        await http.send(post('/book', ''));
        return BOOKING;
      },
    };
    const http: SupplierHttp = { send: async () => ({ status: 200, headers: {}, body: Buffer.from(body) }) };
    const context: EngineContext = { http, requestId: 'req_1', environment: 'sandbox', now: 7, naming };
    return boundedAdapter(adapter, elsewhere(adapter)).book?.(key, context);
  };
  const replaying = (adapter: SupplierAdapter) => async (recording: Recording) =>
    replay(adapter, { ...recording, context: structuredClone(recording.context) });

  it.each([another, another + LARGE])(
    'is refused if its answer names only another one, of any size (%#)',
    async (body) => {
      await expect(booked(body, replaying)).rejects.toMatchObject({
        fault: 'bad_payload',
        message: 'the answer is about another reservation',
      });
      expect(await booked(`${body} ${naming.reference}`, replaying)).toEqual(BOOKING);
    },
  );

  claim.each([
    ['a refusal', 'book', [409, another], undefined],
    ['the answer to an earlier call', 'book', [200, another], naming.reference],
    ['a refusal of a cancellation', 'cancel', [404, another], undefined],
  ] as const)(
    ['API10', 'suppliers'],
    'An answer about another reservation never counts for this one, whether it is a refusal or has further calls after it.',
    '%s',
    async (_what, operation, [status, body], next) => {
      const calls: string[] = [];
      const work = async (_request: never, { http }: SupplierContext): Promise<never> => {
        const answer = await http.send(post('/first', ''));
        if (answer.status >= 400) throw new SupplierError('rejected', 'sold out', true, { refusal: 'sold_out' });
        await http.send(post('/second', ''));
        return BOOKING as never;
      };
      const http: SupplierHttp = {
        send: async ({ path }) => {
          calls.push(path);
          return path === '/first'
            ? { status, headers: {}, body: Buffer.from(body) }
            : { status: 200, headers: {}, body: Buffer.from(next ?? '') };
        },
      };
      const adapter = { brandsPerCall: 'many', [operation]: work } as unknown as SupplierAdapter;
      const context: EngineContext = { http, requestId: 'req_1', environment: 'sandbox', now: 7, naming };
      await expect(boundedAdapter(adapter)[operation]?.(key, context)).rejects.toMatchObject({ fault: 'bad_payload' });
      expect(calls).toEqual(['/first']);
    },
  );

  it('is checked where its answer is read: a large one takes too long in this thread', async () => {
    const trusting = () => async () => ({ kind: 'answered', answer: BOOKING }) as const;
    expect(await booked(another + LARGE, trusting)).toEqual(BOOKING);
  });
});

it('keeps what the adapter can do', () => {
  const authenticate = async () => ({ headers: {}, expiresInSeconds: 1 });
  const searchLocations = async () => EMPTY;
  const bounded = boundedAdapter({ brandsPerCall: 'one', authenticate, searchLocations });
  expect(Object.keys(bounded).sort()).toEqual(['authenticate', 'brandsPerCall', 'searchLocations']);
});
