import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { SupplierError } from '../model/supplier.js';

/** Room for the status line and headers, which undici limits to 16 KB, and for framing beyond a share of the body. */
const HEAD_BYTES = 65_536;
/** What a name or a value of a header counts besides its length, so that many short ones are too many. */
const HEADER_BYTES = 16;

/** Returned by a function that the parser calls: it reads no further. */
const STOP = -1;

/** Chunks of at least 64 bytes on average have less framing than this share. */
const FRAMING_SHARE = 0.25;

/**
 * Limits what a supplier sends for one answer, including all that never becomes part of its body: endless status lines,
 * zeros of a chunk size, chunk extensions, line breaks. A connection that exceeds `bodyBytes` and a share for headers and framing is
 * destroyed with `bad_payload`. Answers are separated by what was written in between: one call at a time uses a connection.
 * So is one with headers or trailers of more than 16 KB, of which each name and value counts 16 bytes more than it has.
 */
export function limitRawBytes(connect: buildConnector.connector, bodyBytes: number): buildConnector.connector {
  const most = bodyBytes * (1 + FRAMING_SHARE) + HEAD_BYTES;
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result;
      // Before undici adds its own listener, so that it parses nothing of what exceeds the limit.
      if (!error) watch(socket, most);
      callback(...result);
    });
}

function watch(socket: Socket, most: number): void {
  let written = socket.bytesWritten;
  let readBefore = 0;
  let base = 0;
  let isPrepared = false;
  socket.on('readable', () => {
    if (!isPrepared) isPrepared = stopAtLimit(socket);
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      base = readBefore;
    }
    readBefore = socket.bytesRead;
    if (readBefore - base > most)
      socket.destroy(new SupplierError('bad_payload', `the answer takes more than ${most} bytes with its framing`));
  });
}

/** The part of undici's parser of a connection that gets the names and values of headers and trailers. */
interface HeaderParser {
  onHeaderField(bytes: Buffer): number;
  onHeaderValue(bytes: Buffer): number;
  /** Destroys the connection if the headers of an answer have more than 16 KB. */
  trackHeader(length: number): void;
}

/**
 * Stops undici's parser when its limit of headers is reached. By itself it only destroys the connection, reads the rest of
 * what has arrived, up to 64 KB, and creates an error for each name and value in it: 250 ms if they are short. undici has
 * no option for that; http-client.spec.ts fails if its parser changes. Returns false if there is no parser yet.
 */
function stopAtLimit(socket: Socket): boolean {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, HeaderParser | null>)[key];
  if (!parser) return false;
  const trackHeader = parser.trackHeader.bind(parser);
  parser.trackHeader = (length) => trackHeader(length + HEADER_BYTES);
  for (const part of ['onHeaderField', 'onHeaderValue'] as const) {
    const read = parser[part].bind(parser);
    parser[part] = (bytes) => (socket.destroyed ? STOP : read(bytes));
  }
  return true;
}
