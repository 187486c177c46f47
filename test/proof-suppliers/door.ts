import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * A TCP proxy in front of one supplier. While it is shut, it accepts connections and never answers: a supplier that
 * hangs.
 */
export interface Door {
  readonly url: string;
  /** Also applies to existing connections. */
  shut(isShut: boolean): void;
  close(): Promise<void>;
}

/** Listens in front of the supplier at `target`, on a free port of 127.0.0.1; open at first. */
export async function startDoor(target: string): Promise<Door> {
  const { hostname, port } = new URL(target);
  const callers = new Set<Socket>();
  let isShut = false;
  const server = createServer({ noDelay: true }, (caller) => {
    callers.add(caller);
    // A shut door expects callers to disconnect.
    caller.on('error', () => undefined).once('close', () => callers.delete(caller));
    if (isShut) caller.resume();
    else pass(caller);
  });
  const pass = (caller: Socket): void => {
    const supplier = connect({ port: Number(port), host: hostname, noDelay: true });
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
