import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** The way to one supplier. While it is shut, whoever calls is let in and never hears a word: a supplier that hangs. */
export interface Door {
  readonly url: string;
  /** Concerns connections made before as well. */
  shut(isShut: boolean): void;
  close(): Promise<void>;
}

/** A door before the supplier at `target`, on a free port of 127.0.0.1; open. */
export async function startDoor(target: string): Promise<Door> {
  const { hostname, port } = new URL(target);
  const callers = new Set<Socket>();
  let isShut = false;
  const server = createServer((caller) => {
    callers.add(caller);
    // A caller that leaves is what a shut door is about.
    caller.on('error', () => undefined).once('close', () => callers.delete(caller));
    if (isShut) caller.resume();
    else pass(caller);
  });
  const pass = (caller: Socket): void => {
    const supplier = connect(Number(port), hostname);
    caller.on('data', (words) => {
      if (!isShut) supplier.write(words);
    });
    caller.once('close', () => supplier.destroy());
    supplier.pipe(caller);
    supplier.on('error', () => caller.resetAndDestroy());
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    shut: (shallBeShut) => {
      isShut = shallBeShut;
    },
    close: async () => {
      for (const caller of callers) caller.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
