import type { Command } from 'commander';
import { DIRECTIVE_FORMS } from '../sandbox/directive.js';
import { startSimulators } from '../simulators/embedded.js';
import { saturationOf } from '../simulators/saturation.js';
import { supplierOf } from './adapter-commands.js';
import { print } from './terminal.js';

/** Adds `gw sim serve`, which runs the simulator of one supplier in the foreground. */
export function addSimCommand(gw: Command): void {
  gw.command('sim')
    .description('run simulated suppliers')
    .command('serve <supplier>')
    .description('run the simulator of one supplier until Ctrl-C; its bookings are lost on exit')
    .option('--port <port>', "default: simulator.port in the supplier's file; 0 = any free port")
    .option('--latency-scale <factor>', "factor for the latency in the supplier's file; 0 = no latency", '1')
    .action((id: string, { port, latencyScale }: { port?: string; latencyScale: string }) =>
      serve(
        id,
        port === undefined ? undefined : numberOf(port, '--port', 65_535),
        numberOf(latencyScale, '--latency-scale', 100),
      ),
    );
}

/** Without `port`, the port of the supplier's file is used. */
async function serve(id: string, port: number | undefined, latencyScale: number): Promise<void> {
  const { simulator, ...config } = supplierOf(id);
  if (!simulator) throw new Error(`suppliers/${id}.yaml has no simulator`);
  const supplier = { ...config, state: 'live' as const, simulator: { ...simulator, port: port ?? simulator.port } };
  const simulators = await startSimulators([supplier], { latencyScale, includeWithUrl: true });
  const server = simulators.servers.get(id);
  if (!server) throw new Error(`the simulator of ${id} did not start`);
  const { url } = server;
  print(`The simulator of ${config.name} listens at ${url}
Connect a gateway     SUPPLIER_${id.toUpperCase()}_URL=${url}
List its bookings     curl ${url}/__sim/bookings
Show its load         curl ${url}/__sim/stats
Simulate a failure with a header of a direct call, or of a search through the gateway:
  x-sim-directive: timeout             X-Sandbox-Scenario: ${id}=timeout
  one of ${DIRECTIVE_FORMS.join(', ')}
  x-sim-seed: 7                        repeats the same latency and failures`);
  const stop = (): void => {
    print(`saturation: ${saturationOf(id, server.stats())}`);
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
