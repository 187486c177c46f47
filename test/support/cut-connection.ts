import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A way to a PostgreSQL server that a test breaks. */
export interface Cutter {
  /** The URL of the database by this way. */
  readonly url: string;
  /**
   * Breaks the connection on which the next text is sent that contains `text`, when the server has answered it: it was carried
   * out, and its client doesn't know. With `stayCut`, all other connections break too, and new ones as well until `restore`. With
   * `then`, it is the next text on the same connection that contains that.
   */
  cutAfter(text: string, stayCut: boolean, then?: string): void;
  restore(): void;
  /** Breaks the open connections, and leads new ones to the server of another URL. */
  lead(url: string): void;
  close(): void;
}

/** Listens on a port of 127.0.0.1 in front of the server of `url`. */
export async function startCutter(url: string): Promise<Cutter> {
  let { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let awaited: { readonly text: string; readonly stayCut: boolean; readonly last: string } | undefined;
  let isCut = false;
  const server = createServer({ noDelay: true }, (client) => {
    if (isCut) return void client.destroy();
    const database = connect({ port: Number(port), host: hostname, noDelay: true });
    let own: typeof awaited;
    let isLast = false;
    open.add(client);
    client.on('data', (part) => {
      if (awaited && part.includes(awaited.text)) {
        own = awaited;
        awaited = undefined;
      }
      if (own && !isLast && part.includes(own.last)) {
        isLast = true;
        isCut = own.stayCut;
      }
      database.write(part);
    });
    database.on('data', (part) => {
      if (!isLast) return void client.write(part);
      for (const socket of isCut ? open : [client]) socket.destroy();
    });
    const end = (): void => {
      open.delete(client);
      client.destroy();
      database.destroy();
    };
    for (const socket of [client, database]) socket.on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  const own = new URL(url);
  own.host = `127.0.0.1:${address.port}`;
  return {
    url: own.href,
    cutAfter: (text, stayCut, last = text) => {
      awaited = { text, stayCut, last };
    },
    restore: () => {
      isCut = false;
    },
    lead: (to) => {
      ({ hostname, port } = new URL(to));
      for (const socket of open) socket.destroy();
    },
    close: () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}
