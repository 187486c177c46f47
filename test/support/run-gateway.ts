import { Client } from './client.js';
import { type Gateway, type GatewayOptions, startGateway } from './start-gateway.js';

/** A gateway and a client of it. */
export interface Running {
  readonly gateway: Gateway;
  readonly client: Client;
}

/**
 * Runs one gateway around all tests of the surrounding describe (or file); the returned function gives access to it
 * inside tests and later hooks. `options` may be a function if they are known only after earlier hooks.
 */
export function runGateway(options: GatewayOptions | (() => GatewayOptions) = {}): () => Running {
  let running: Running | undefined;
  beforeAll(async () => {
    const gateway = await startGateway(typeof options === 'function' ? options() : options);
    running = { gateway, client: await Client.of(gateway) };
  });
  afterAll(async () => {
    running?.client.close();
    await running?.gateway.stop();
  });
  return () => {
    if (!running) throw new Error('the gateway runs only inside tests');
    return running;
  };
}
