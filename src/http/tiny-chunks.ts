import { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';

/** By how many chunks of a body more may be small than large. By default, the largest body that is read has 64 KB. */
const MOST_SMALL_CHUNKS = 500;
const SMALL_BYTES = 512;

/**
 * A request whose connection is closed if its body arrives in more than 500 small chunks, of which each large one before the 501st makes up
 * for one before it. Node's parser calls JavaScript for each chunk, and 2 MB of one connection, which can be 350,000 chunks, are parsed in one
 * turn of the event loop. Also counts the chunks of a body that nothing reads. What remains of the packet is discarded, and with it the
 * end of the body, so that nothing takes what was read for all of it.
 */
export class ChunkedMessage extends IncomingMessage {
  #small = 0;
  #isDiscarded = false;
  /** What was read is a part of the body, which must not end as if it were complete. */
  #isCutOff = false;

  override push(chunk: Buffer | null): boolean {
    if (this.#isCutOff) return false;
    if (chunk === null) return super.push(null);
    this.#small = Math.max(0, this.#small + (chunk.length < SMALL_BYTES ? 1 : -1));
    if (this.#small > MOST_SMALL_CHUNKS && this.#hasPieces()) {
      this.#isCutOff = true;
      this.socket.destroy();
      return false;
    }
    return this.#isDiscarded || super.push(chunk);
  }

  /**
   * Whether the client decides what a chunk is: of a body in chunks, and by TLS, where each record is one. What arrives of another body is
   * one chunk for each read of the socket, however large.
   */
  #hasPieces(): boolean {
    const { encrypted } = this.socket as Partial<TLSSocket>;
    return this.headers['transfer-encoding'] !== undefined || encrypted === true;
  }

  /** Node calls it for a body that nothing has begun to read when its answer is sent. Its own method would hide further chunks from `push`. */
  _dump(): void {
    this.#isDiscarded = true;
    this.resume();
  }
}
