import { gzipSync } from 'node:zlib';
import type { Exchange, HttpAnswer, Play } from './fault-server.js';

export const MEGABYTE = 1_000_000;
const DEPTH = 50_000;

/** Where `redirect` leads. */
export const REDIRECTED = '/redirected-by-the-kit';

/** Answers instead of the supplier; without `type`, with the Content-Type that the call accepts. */
export function instead(status: number, body: string | Buffer, type?: string): Play {
  return (exchange) =>
    exchange.answer({ status, headers: { 'content-type': type ?? typeOf(exchange) }, body: Buffer.from(body) });
}

function typeOf({ call: { headers } }: Exchange): string {
  return headers['content-type'] ?? headers.accept ?? 'application/json';
}

/** Whether the supplier speaks XML. */
export function isXml(exchange: Exchange): boolean {
  return typeOf(exchange).includes('xml');
}

/** Answers with a document of another kind, in the same format. */
export function foreign(exchange: Exchange): void {
  instead(200, isXml(exchange) ? '<weather><sunny/></weather>' : '{"weather":["sunny"]}')(exchange);
}

/** Answers with a document that is nested 50,000 levels deep. */
export function nested(exchange: Exchange): void {
  instead(
    200,
    isXml(exchange) ? '<a>'.repeat(DEPTH) + '</a>'.repeat(DEPTH) : '['.repeat(DEPTH) + ']'.repeat(DEPTH),
  )(exchange);
}

let packed: Buffer | undefined;

/** Answers with a small body that decompresses to 16 MB. */
export function zipped(exchange: Exchange): void {
  packed ??= gzipSync(Buffer.alloc(16 * MEGABYTE, ' '));
  exchange.answer({
    status: 200,
    headers: { 'content-type': typeOf(exchange), 'content-encoding': 'gzip' },
    body: packed,
  });
}

/** Redirects to a path that must not be called. */
export function redirect(exchange: Exchange): void {
  exchange.answer({ status: 302, headers: { location: REDIRECTED }, body: Buffer.alloc(0) });
}

/** Answers 429 with Retry-After. */
export function throttling(exchange: Exchange): void {
  exchange.answer({
    status: 429,
    headers: { 'retry-after': '1', 'content-type': 'text/plain' },
    body: Buffer.from('Slow down'),
  });
}

/** Announces the full length, sends the first half and ends the connection. */
export async function truncated({ forward, socket }: Exchange): Promise<void> {
  const answer = await forward();
  const body = answer?.body ?? Buffer.alloc(0);
  const type = String(answer?.headers['content-type'] ?? 'text/plain');
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length + 2}\r\n\r\n`);
  socket.end(body.subarray(0, body.length >> 1));
}

/** Sends half of the document with a matching length. */
export async function halved(exchange: Exchange): Promise<void> {
  const answer = await exchange.forward();
  if (answer) exchange.answer(withBody(answer, answer.body.subarray(0, answer.body.length >> 1)));
}

/** Sends the answer in another charset than declared. */
export async function recoded(exchange: Exchange): Promise<void> {
  const answer = await exchange.forward();
  if (answer) exchange.answer(withBody(answer, Buffer.from(answer.body.toString('utf8'), 'utf16le')));
}

/** The answer with another body. */
export function withBody(
  { status, headers: { 'content-length': _length, ...headers } }: HttpAnswer,
  body: Buffer,
): HttpAnswer {
  return { status, headers, body };
}
