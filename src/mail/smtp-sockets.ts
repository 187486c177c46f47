import { connect, type Socket } from 'node:net';
import type { SMTPTransportGetSocket } from 'nodemailer/lib/smtp-transport';

/** Time limits in milliseconds. */
export interface SocketLimits {
  /** Until the server accepts the connection. */
  readonly connectMs: number;
  /** From then until the connection ends. */
  readonly longestMs: number;
}

const STOPPING = 'the gateway is stopping';

/**
 * Opens the connections to an SMTP server, one per email. Each ends in time, even if the server keeps sending a byte now and then: nodemailer
 * limits only the time between two bytes. Then sending rejects with ESOCKET or ECONNECTION, as when the server closes the connection.
 */
export class SmtpSockets {
  readonly #open = new Set<Socket>();
  #isClosed = false;

  constructor(private readonly limits: SocketLimits) {}

  /** `getSocket` of a transport. Calls back with a connected socket, or the error of the connection (ETIMEDOUT: it took too long). */
  readonly open: SMTPTransportGetSocket = ({ host = 'localhost', port, secure }, callback) => {
    const { connectMs, longestMs } = this.limits;
    if (this.#isClosed) return callback(new Error(STOPPING));
    const socket = connect({ host, port: Number(port) || (secure ? 465 : 587) });
    const tooLate = (): void => {
      socket.destroy(Object.assign(new Error('the SMTP server took too long'), { code: 'ETIMEDOUT' }));
    };
    let timer = setTimeout(tooLate, connectMs);
    this.#open.add(socket);
    socket.on('error', () => undefined).once('error', callback);
    socket.once('close', () => {
      clearTimeout(timer);
      this.#open.delete(socket);
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      timer = setTimeout(tooLate, longestMs);
      socket.off('error', callback);
      callback(null, { connection: socket });
    });
  };

  /** Ends all connections, including those that aren't made yet, and refuses more. */
  close(): void {
    this.#isClosed = true;
    // Without an error, a socket that is still connecting only closes, and its email would wait for good.
    for (const socket of this.#open) socket.destroy(new Error(STOPPING));
  }
}
