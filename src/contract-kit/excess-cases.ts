import type { Operation } from '../model/supplier.js';
import { describeError, must } from './breach.js';
import { type ContractCase, READS } from './case.js';
import { failureOf } from './ended.js';
import { instead, isXml, withBody } from './failure-plays.js';
import type { Exchange, Play } from './fault-server.js';

const LONG_TEXT = 'x'.repeat(1_000_000);
/** Just below the default size limit. */
const MOST_BYTES = 1_900_000;

/** Answers that are well formed, in the supplier's own format, and far larger than any real one. */
export const EXCESSES: readonly {
  readonly id: string;
  readonly guarantee: string;
  readonly play: Play;
  readonly operations: readonly Operation[];
}[] = [
  {
    id: 'long_text',
    guarantee: 'an answer with a text of 1 MB is bad_payload, or the text is left out',
    play: changed(withLongText),
    operations: READS,
  },
  {
    id: 'long_list',
    guarantee: 'an answer with thousands of items is bad_payload, or has at most 1,000',
    play: changed(withLongList),
    operations: ['searchLocations', 'searchVehicles'],
  },
  {
    id: 'costly',
    guarantee: 'a document of 2 MB that takes long to parse is bad_payload',
    play: (exchange) => instead(200, isXml(exchange) ? COSTLY_XML : COSTLY_JSON)(exchange),
    operations: READS,
  },
];

/** What an excessive answer may lead to: nothing that exceeds the limits of the engine. */
export const EXCESS_CASES: readonly ContractCase[] = EXCESSES.map(({ id, guarantee, play, operations }) => ({
  id,
  guarantee,
  operations,
  run: async (bench, operation) => {
    const ended = await bench.played(operation, play, await bench.subject.question(operation));
    if (ended.items) {
      must(id !== 'costly', 'expected bad_payload');
      must(ended.items.length <= 1_000, `found ${ended.items.length} items`);
      must(!JSON.stringify(ended.items).includes(LONG_TEXT), 'the text is in the result');
      return;
    }
    const error = failureOf(ended);
    must(error.fault === 'bad_payload', `got ${describeError(error)}; expected bad_payload`);
  },
}));

/** Each element and each object has a member of its own, which no parser can prepare for. */
const COSTLY_XML = `<r>${numbered((index) => `<a b${index}="1"/>`)}</r>`;
const COSTLY_JSON = `[${numbered((index) => `{"a${index}":0},`)}0]`;

function numbered(part: (index: number) => string): string {
  const parts: string[] = [];
  for (let length = 0; length < MOST_BYTES; length += parts.at(-1)?.length ?? 0) parts.push(part(parts.length));
  return parts.join('');
}

/** The supplier's answer with another body; unchanged unless its status is 200. */
function changed(change: (text: string) => string): Play {
  return async (exchange: Exchange) => {
    const answer = await exchange.forward();
    if (!answer) return;
    exchange.answer(
      answer.status === 200 ? withBody(answer, Buffer.from(change(answer.body.toString('utf8')))) : answer,
    );
  };
}

/** Lengthens the first text of several words: in JSON, an attribute or an element. */
function withLongText(text: string): string {
  return text.replace(
    /(":\s*"|="|>)([^"<>]*[^\s"<>] [^"<>]*)/,
    (_whole, opening: string, words: string) => `${opening}${words}${LONG_TEXT}`,
  );
}

/** Repeats the items of the longest list. */
function withLongList(text: string): string {
  if (!text.startsWith('<')) return JSON.stringify(withLongestList(JSON.parse(text)));
  const [item = ''] = /<((?:\w+:)?(?:VehAvail|VehMatchedLoc))>.*?<\/\1>/s.exec(text) ?? [];
  return text.replace(item, () => repeated(item));
}

/** The longest list of objects in a document, repeated; everything else stays as it is. */
function withLongestList(document: unknown): unknown {
  let longest: unknown[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value) && typeof value[0] === 'object' && value.length > longest.length) longest = value;
    if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) visit(member);
  };
  visit(document);
  const size = JSON.stringify(longest).length;
  const original = [...longest];
  for (let bytes = size; bytes + size < MOST_BYTES; bytes += size) longest.push(...original);
  return document;
}

function repeated(item: string): string {
  return item.repeat(Math.ceil(MOST_BYTES / item.length));
}
