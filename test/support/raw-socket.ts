import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Sends bytes as they are and resolves with everything that came back until the server closed; rejects after `timeoutMs`. */
export async function rawExchange(port: number, bytes: string, timeoutMs = 5_000): Promise<string> {
  const socket = await rawConnect(port);
  socket.write(bytes);
  return untilClosed(socket, timeoutMs);
}

/** An open connection to 127.0.0.1. */
export async function rawConnect(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Everything that comes until the peer ends or resets the connection. */
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
