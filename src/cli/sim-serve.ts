import type { Command } from 'commander';
import { DIRECTIVE_FORMS } from '../sandbox/directive.js';
import { startSimulators } from '../simulators/embedded.js';
import { saturationOf } from '../simulators/saturation.js';
import { supplierOf } from './adapter-commands.js';

/** Adds `gw sim serve`: the simulator of one supplier in the foreground. */
export function addSimCommand(gw: Command): void {
  gw.command('sim')
    .description('simulated suppliers')
    .command('serve <supplier>')
    .description('serve the simulator of one supplier until Ctrl-C; its bookings live as long')
    .option('--port <port>', 'default: simulator.port of its file, 0 = a free one')
    .option('--latency-scale <factor>', 'multiplies the latency of its file; 0 = none', '1')
    .action((id: string, { port, latencyScale }: { port?: string; latencyScale: string }) =>
      serve(
        id,
        port === undefined ? undefined : numberOf(port, '--port', 65_535),
        numberOf(latencyScale, '--latency-scale', 100),
      ),
    );
}

/** `port` undefined = as the supplier's file says. */
async function serve(id: string, port: number | undefined, latencyScale: number): Promise<void> {
  const { simulator, ...config } = supplierOf(id);
  if (!simulator) throw new Error(`suppliers/${id}.yaml has no simulator`);
  const supplier = { ...config, state: 'live' as const, simulator: { ...simulator, port: port ?? simulator.port } };
  const simulators = await startSimulators([supplier], { latencyScale, includeWithUrl: true });
  const server = simulators.servers.get(id);
  if (!server) throw new Error(`the simulator of ${id} did not start`);
  const { url } = server;
  console.log(`${config.name} is played at ${url}

A gateway asks it with      SUPPLIER_${id.toUpperCase()}_URL=${url}
What it has booked          curl ${url}/__sim/bookings
How busy it is              curl ${url}/__sim/stats
What it is to do with a call, as a header of the call, or of a search through the gateway:
  x-sim-directive: timeout             X-Sandbox-Scenario: ${id}=timeout
  one of ${DIRECTIVE_FORMS.join(', ')}
  x-sim-seed: 7                        the same latency and chaos every time`);
  const stop = (): void => {
    console.log(`saturation: ${saturationOf(id, server.stats())}`);
    void simulators.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
}

function numberOf(text: string, option: string, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= most && (option !== '--port' || Number.isInteger(value)))
    return value;
  throw new Error(`${option} must be a number from 0 to ${most}`);
}
