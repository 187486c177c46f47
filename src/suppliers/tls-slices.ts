import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { DEFAULT_CIPHERS, TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';
import { SupplierError } from '../model/supplier.js';

/** Bytes that OpenSSL gets in one piece: 40 ms of work if all of them are session tickets, 0.1 ms if they are an answer. */
const SLICE_BYTES = 49_152;

/** The part of a slice that may be a record whose end has not arrived yet. */
const RECORD_BYTES = 16_640;

/**
 * What a connection may carry besides plaintext until the next request is written: the handshake with its certificates,
 * session tickets, new keys, and the headers of records (22 bytes each) as a share of the plaintext.
 */
const OVERHEAD_BYTES = 32_768;
const OVERHEAD_SHARE = 0.1;

/** What a server may send until its handshake is complete: each certificate of a chain costs milliseconds, before any is refused. */
const HANDSHAKE_BYTES = 12_288;

/** Without finite-field Diffie-Hellman: the server chooses the prime, and one of 10,000 bits costs a second of the event loop. */
const CIPHERS = `${DEFAULT_CIPHERS}:!kDHE`;

/**
 * Runs TLS on top of the TCP connections of `connect`, so that a supplier can't occupy the event loop with it: OpenSSL
 * gets at most 48 KB in one piece, and a connection whose overhead exceeds 32 KB and a tenth of the plaintext is destroyed
 * with `bad_payload`, idle or not; so is one with more than 12 KB of handshake. Otherwise, one supplier could send session tickets without end, of which 860 fit in
 * one record and which no limit of plaintext sees. Connections without TLS are left as they are. `noted` gets the end of
 * each accepted certificate, as OpenSSL prints it.
 */
export function sliceTls(
  connect: buildConnector.connector,
  noted: (validTo: string) => void = () => undefined,
): buildConnector.connector {
  const secure = buildConnector({ allowH2: false, ciphers: CIPHERS });
  return (options, callback) => {
    if (options.protocol !== 'https:') return connect(options, callback);
    // Without a port of its own, TCP would get that of http.
    return connect({ ...options, protocol: 'http:', port: options.port || '443' }, (...result) => {
      const [error, tcp] = result;
      if (error) return callback(error, null);
      const sliced = new SlicedSocket(tcp);
      // The types demand a Socket; tls.connect accepts any Duplex.
      secure({ ...options, httpSocket: sliced as unknown as Socket }, (...secured) => {
        const [failure, socket] = secured;
        if (failure) tcp.destroy();
        else {
          sliced.plaintextOf = socket;
          ignoreLateErrors(socket);
          if (socket instanceof TLSSocket) noted(socket.getPeerCertificate().valid_to);
        }
        callback(...secured);
      });
    });
  };
}

/**
 * A server that resets the connection while something is written makes TLS over another stream report `close` first and then an error. By then
 * undici has failed the request and forgotten the connection: its listener would throw, which ends the process (undici 8.12, client-h1.js).
 */
function ignoreLateErrors(socket: Socket): void {
  socket.once('close', () => {
    socket.removeAllListeners('error');
    socket.on('error', () => undefined);
  });
}

/** A TCP connection whose bytes arrive in slices. */
class SlicedSocket extends Duplex {
  /** Counts plaintext, once the handshake is complete. */
  plaintextOf: Socket | undefined;
  readonly #tcp: Socket;
  #isWanted = false;
  #isPlanned = false;
  #read = 0;
  /** `#read` and the plaintext when the last request was written, and the overhead before the last slice. */
  #since = { written: 0, read: 0, plaintext: 0 };
  #overheadBefore = 0;

  constructor(tcp: Socket) {
    super({ readableHighWaterMark: SLICE_BYTES });
    this.#tcp = tcp;
    tcp.on('readable', () => this.#plan());
    tcp.on('end', () => this.push(null));
    tcp.on('error', (error) => this.destroy(error));
    tcp.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#plan();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#tcp.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#tcp.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#tcp.destroy();
    done(error);
  }

  /** Passes the next slice: now, or in the next turn of the event loop if the last one was not only an answer. */
  #plan(): void {
    if (this.#isPlanned || !this.#isWanted || this.#tcp.readableLength === 0) return;
    const { overhead } = this.#count();
    const isAnswer = overhead - this.#overheadBefore < RECORD_BYTES;
    this.#overheadBefore = overhead;
    if (isAnswer) {
      this.#pass();
      return;
    }
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#pass();
    });
  }

  #pass(): void {
    if (this.destroyed) return;
    const slice: Buffer | null = this.#tcp.read(Math.min(this.#tcp.readableLength, SLICE_BYTES));
    if (slice === null) return;
    this.#read += slice.length;
    this.#isWanted = false;
    if (!this.plaintextOf && this.#read > HANDSHAKE_BYTES) {
      this.destroy(
        new SupplierError(
          'bad_payload',
          `the TLS connection carries more than ${HANDSHAKE_BYTES} bytes of handshake`,
          false,
        ),
      );
      return;
    }
    this.push(slice);
    const { overhead, plaintext } = this.#count();
    if (overhead > OVERHEAD_BYTES + RECORD_BYTES + plaintext * OVERHEAD_SHARE)
      this.destroy(
        new SupplierError('bad_payload', `the TLS connection carries more than ${OVERHEAD_BYTES} bytes of overhead`),
      );
  }

  /** Bytes since the last request was written. What OpenSSL writes by itself, such as new keys, is not a request. */
  #count(): { readonly overhead: number; readonly plaintext: number } {
    const { bytesWritten = 0, bytesRead = 0 } = this.plaintextOf ?? {};
    if (bytesWritten !== this.#since.written)
      this.#since = { written: bytesWritten, read: this.#read, plaintext: bytesRead };
    const plaintext = bytesRead - this.#since.plaintext;
    return { overhead: this.#read - this.#since.read - plaintext, plaintext };
  }
}
