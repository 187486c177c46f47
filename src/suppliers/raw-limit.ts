import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { SupplierError } from '../model/supplier.js';

/** Room for the status line and headers, which undici limits to 16 KB, and for framing beyond a share of the body. */
const HEAD_BYTES = 65_536;
/**
 * Bytes that undici parses in one piece. If a piece has more headers than undici allows, undici still reads the rest of the
 * piece and creates an error for each name and value in it: 20 ms for 4 KB, 250 ms for 64 KB.
 */
const PIECE_BYTES = 4_096;

/** Chunks of at least 64 bytes on average have less framing than this share. */
const FRAMING_SHARE = 0.25;

/**
 * Limits what a supplier sends for one answer, including all that never becomes part of its body: endless status lines,
 * zeros of a chunk size, chunk extensions, line breaks. A connection that exceeds `bodyBytes` and a share for headers and framing is
 * destroyed with `bad_payload`. Answers are separated by what was written in between: one call at a time uses a connection.
 * undici gets small pieces, and none of a destroyed connection.
 */
export function limitRawBytes(connect: buildConnector.connector, bodyBytes: number): buildConnector.connector {
  const most = bodyBytes * (1 + FRAMING_SHARE) + HEAD_BYTES;
  return (options, callback) =>
    connect(options, (...result) => {
      const [error, socket] = result;
      // Before undici adds its own listener, so that it parses nothing of what exceeds the limit.
      if (!error) {
        watch(socket, most);
        readInPieces(socket);
      }
      callback(...result);
    });
}

function watch(socket: Socket, most: number): void {
  let written = socket.bytesWritten;
  let readBefore = 0;
  let base = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten;
      base = readBefore;
    }
    readBefore = socket.bytesRead;
    if (readBefore - base > most)
      socket.destroy(new SupplierError('bad_payload', `the answer takes more than ${most} bytes with its framing`));
  });
}

function readInPieces(socket: Socket): void {
  const read = socket.read.bind(socket) as Socket['read'];
  socket.read = (size = PIECE_BYTES): unknown => {
    if (socket.destroyed) return null;
    const most = Math.min(size, PIECE_BYTES, socket.readableLength);
    return most > 0 ? (read(most) as unknown) : (read() as unknown);
  };
}
