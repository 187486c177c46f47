import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** One answer from the bytes of a connection; header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends bytes (latin1) unchanged and resolves with everything received until the server closed; rejects after
 * `timeoutMs`.
 */
export async function rawExchange(port: number, bytes: string, timeoutMs = 5_000): Promise<string> {
  const socket = await rawConnect(port);
  socket.write(bytes, 'latin1');
  return untilClosed(socket, timeoutMs);
}

/** An open connection to 127.0.0.1. */
export async function rawConnect(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Everything received until the peer ends or resets the connection. */
export function untilClosed(socket: Socket, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`the peer kept the connection open for ${timeoutMs} ms after: ${text}`));
    }, timeoutMs);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

/**
 * The answers received on a connection, in order, without interim ones (100). Throws if bytes follow that are not an
 * answer.
 */
export function answersIn(text: string): RawAnswer[] {
  const bytes = Buffer.from(text);
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n\r\n', at);
    const [line = '', ...fields] = bytes.toString('utf8', at, end === -1 ? bytes.length : end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(line)?.[1]);
    if (end === -1 || Number.isNaN(status)) throw new Error(`no answer: ${line.slice(0, 200)}`);
    const headers = Object.fromEntries(
      fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.replace(/^[^:]*: */, '')]),
    );
    const { body, next } = bodyAt(bytes, end + 4, headers);
    if (status >= 200) answers.push({ status, headers, body });
    at = next;
  }
  return answers;
}

function bodyAt(
  bytes: Buffer,
  start: number,
  headers: Readonly<Record<string, string>>,
): { body: string; next: number } {
  if (headers['transfer-encoding'] !== 'chunked') {
    const next = start + Number(headers['content-length'] ?? 0);
    return { body: bytes.toString('utf8', start, next), next };
  }
  let body = '';
  for (let at = start; ; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (line === -1 || Number.isNaN(size)) throw new Error('the answer breaks off inside its body');
    body += bytes.toString('utf8', line + 2, line + 2 + size);
    at = line + 4 + size;
    if (size === 0) return { body, next: at };
  }
}
