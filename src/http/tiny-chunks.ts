import { IncomingMessage } from 'node:http';

/** Chunks of a body that may be smaller than SMALL_BYTES on average. By default, the largest body that is read has 64 KB. */
const MOST_SMALL_CHUNKS = 500;
const SMALL_BYTES = 512;

/**
 * A request whose connection is closed if its body arrives in more than 500 small chunks. Node's parser calls JavaScript for each chunk, and
 * 2 MB of one connection, which can be 350,000 chunks, are parsed in one turn of the event loop. Also counts the chunks of a body that
 * nothing reads. What remains of the packet is discarded.
 */
export class ChunkedMessage extends IncomingMessage {
  #chunks = 0;
  #bytes = 0;
  #isDiscarded = false;

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) return super.push(null);
    this.#chunks += 1;
    this.#bytes += chunk.length;
    if (this.#chunks > MOST_SMALL_CHUNKS && this.#bytes < this.#chunks * SMALL_BYTES && this.#isChunked()) {
      // After the first of them, this does nothing.
      this.socket.destroy();
      return true;
    }
    return this.#isDiscarded || super.push(chunk);
  }

  /** What arrives of another body is one chunk for each read of the socket, however large. */
  #isChunked(): boolean {
    return this.headers['transfer-encoding'] !== undefined;
  }

  /** Node calls it for a body that nothing has begun to read when its answer is sent. Its own method would hide further chunks from `push`. */
  _dump(): void {
    this.#isDiscarded = true;
    this.resume();
  }
}
