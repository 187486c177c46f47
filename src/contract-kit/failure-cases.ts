import type { Fault, Operation } from '../model/supplier.js';
import { describeError, must } from './breach.js';
import { type ContractCase, OPERATIONS, READS, WRITES } from './case.js';
import { failureOf, itemsOf } from './ended.js';
import {
  foreign,
  halved,
  instead,
  MEGABYTE,
  nested,
  REDIRECTED,
  recoded,
  redirect,
  throttling,
  truncated,
  zipped,
} from './failure-plays.js';
import { type Play, pass, startFaultServer } from './fault-server.js';

const HTML = '<!DOCTYPE html><html><head><title>Hotel guests</title></head><body><h1>Please log in</h1></body></html>';
const BOMB = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${[...'bcdefghij'].map((name, level) => `<!ENTITY ${name} "${`&${'abcdefghi'[level]};`.repeat(10)}">`).join('')}]><x>&j;</x>`;

/** Faults after which a write is in doubt: the supplier may or may not have carried it out. */
const DOUBTFUL: readonly Fault[] = ['unavailable', 'timeout', 'bad_payload'];

interface Failure {
  readonly id: string;
  readonly guarantee: string;
  readonly play: Play;
  /** Absent = all. */
  readonly operations?: readonly Operation[];
  /** Any of these is correct. */
  readonly faults: readonly Fault[];
  /** The correct faults of a write, if they differ from those of a read. */
  readonly writeFaults?: readonly Fault[];
}

/** Everything that can arrive instead of an answer, before the supplier has done anything. */
const FAILURES: readonly Failure[] = [
  {
    id: 'reset',
    guarantee: 'a connection reset is unavailable',
    play: ({ socket }) => void socket.resetAndDestroy(),
    faults: ['unavailable'],
  },
  {
    id: 'hang_up',
    guarantee: 'a connection closed without an answer is unavailable',
    play: ({ socket }) => void socket.end(),
    faults: ['unavailable'],
  },
  {
    id: 'not_http',
    guarantee: 'bytes that are not HTTP are unavailable',
    play: ({ socket }) => void socket.end('220 mail.example.com ESMTP ready\r\n\r\n'),
    faults: ['unavailable', 'bad_payload'],
  },
  {
    id: 'truncated',
    guarantee: 'an answer cut off halfway is a failure',
    play: truncated,
    operations: READS,
    faults: ['unavailable', 'bad_payload'],
  },
  {
    id: 'cut_short',
    guarantee: 'a complete HTTP answer with half a document is bad_payload',
    play: halved,
    operations: READS,
    faults: ['bad_payload'],
  },
  {
    id: 'garbage',
    guarantee: 'a body that is not text is bad_payload',
    play: instead(200, Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 151 + 255) % 256))),
    faults: ['bad_payload'],
  },
  {
    id: 'html',
    guarantee: 'a web page with status 200 is bad_payload',
    play: instead(200, HTML, 'text/html; charset=utf-8'),
    faults: ['bad_payload'],
  },
  {
    id: 'html_as_data',
    guarantee: "a web page under the supplier's own Content-Type is bad_payload",
    play: instead(200, HTML),
    faults: ['bad_payload'],
  },
  {
    id: 'empty_body',
    guarantee: 'a success without a body is bad_payload, not an empty result',
    play: instead(200, ''),
    faults: ['bad_payload'],
  },
  { id: 'foreign', guarantee: 'a document in another format is bad_payload', play: foreign, faults: ['bad_payload'] },
  {
    id: 'entity_bomb',
    guarantee: 'an entity bomb is bad_payload and is never expanded',
    play: instead(200, BOMB),
    faults: ['bad_payload'],
  },
  {
    id: 'nesting',
    guarantee: 'a document nested 50,000 levels deep is bad_payload',
    play: nested,
    faults: ['bad_payload'],
  },
  {
    id: 'large',
    guarantee: 'a body of 10 MB is bad_payload',
    play: instead(200, Buffer.alloc(10 * MEGABYTE, ' ')),
    faults: ['bad_payload'],
  },
  {
    id: 'zip_bomb',
    guarantee: 'a body that decompresses to 16 MB is bad_payload',
    play: zipped,
    faults: ['bad_payload'],
  },
  {
    id: 'redirect',
    guarantee: 'a redirect is a failure and is not followed',
    play: redirect,
    faults: ['bad_payload', 'unavailable', 'rejected'],
    writeFaults: DOUBTFUL,
  },
  {
    id: 'http_400',
    guarantee: 'a 400 without an explanation is a failure',
    play: instead(400, 'Bad request', 'text/plain'),
    faults: ['rejected', 'bad_payload', 'unavailable'],
  },
  {
    id: 'http_401',
    guarantee: 'a 401 is auth, even after a new session',
    play: instead(401, 'Who are you', 'text/plain'),
    faults: ['auth'],
  },
  {
    id: 'http_403',
    guarantee: 'a 403 is auth or rejected',
    play: instead(403, 'No', 'text/plain'),
    faults: ['auth', 'rejected', 'bad_payload'],
  },
  {
    id: 'http_404',
    guarantee: 'a 404 from a proxy is a failure, not an empty result',
    play: instead(404, 'No such page', 'text/plain'),
    faults: ['rejected', 'bad_payload', 'unavailable'],
  },
  {
    id: 'http_409',
    guarantee: 'a 409 without an explanation is a failure and leaves a write in doubt',
    play: instead(409, 'Conflict', 'text/plain'),
    faults: ['rejected', 'bad_payload', 'unavailable'],
    writeFaults: DOUBTFUL,
  },
  { id: 'http_429', guarantee: "a supplier's limit is throttled", play: throttling, faults: ['throttled'] },
  {
    id: 'http_500',
    guarantee: 'a 500 is unavailable',
    play: instead(500, 'Oops', 'text/plain'),
    faults: ['unavailable'],
  },
  { id: 'http_503', guarantee: 'a 503 is unavailable', play: instead(503, HTML, 'text/html'), faults: ['unavailable'] },
  {
    id: 'http_504',
    guarantee: 'a 504 is unavailable',
    play: instead(504, HTML, 'text/html'),
    faults: ['unavailable', 'timeout'],
  },
];

/** What can arrive instead of an answer, by the id of its case. */
export const PLAYS: ReadonlyMap<string, Play> = new Map(FAILURES.map(({ id, play }) => [id, play]));

/** A failure is a SupplierError with the correct fault, never another exception and never an empty list. */
export const FAILURE_CASES: readonly ContractCase[] = [
  ...FAILURES.map(
    ({ id, guarantee, play, operations = OPERATIONS, faults, writeFaults }): ContractCase => ({
      id,
      guarantee,
      operations,
      run: async (bench, operation) => {
        const question = await bench.subject.question(operation);
        const before = bench.server.history.length;
        const error = failureOf(await bench.played(operation, play, question));
        const right = (WRITES.includes(operation) ? writeFaults : undefined) ?? faults;
        must(right.includes(error.fault), `got ${describeError(error)}; expected ${right.join(' or ')}`);
        must(
          bench.server.history.slice(before).every(({ url }) => !url.includes(REDIRECTED)),
          'followed the redirect',
        );
      },
    }),
  ),
  {
    id: 'wrong_charset',
    guarantee: 'an answer in another charset than declared is decoded correctly or is bad_payload',
    operations: READS,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const plain = await bench.found(operation, question);
      const ended = await bench.played(operation, recoded, question);
      if (!ended.items) {
        const error = failureOf(ended);
        must(error.fault === 'bad_payload', `got ${describeError(error)}; expected bad_payload`);
      } else must(ended.items.length === plain.length, `found ${ended.items.length} items; expected ${plain.length}`);
    },
  },
  {
    id: 'unreachable',
    guarantee: 'a supplier that doesn’t accept connections is unavailable, and nothing was sent',
    operations: OPERATIONS,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      const gone = await startFaultServer(bench.server.url);
      await gone.close();
      const error = failureOf(await bench.withCaller((caller) => caller.ask(operation, question), gone));
      must(error.fault === 'unavailable', `got ${describeError(error)}; expected unavailable`);
      must(!error.sent, 'the error says that something may have been sent');
    },
  },
  {
    id: 'recovers',
    guarantee: 'after failures, the next call on the same connection works',
    operations: READS,
    run: async (bench, operation) => {
      const question = await bench.subject.question(operation);
      await bench.withCaller(async (caller) => {
        for (const play of [
          FAILURES[0]?.play ?? pass,
          instead(503, HTML, 'text/html'),
          instead(401, 'Who are you', 'text/plain'),
        ]) {
          bench.server.play(play);
          await caller.ask(operation, question);
          bench.server.play(pass);
          itemsOf(await caller.ask(operation, question), 'the call after a failure');
        }
      });
    },
  },
];
