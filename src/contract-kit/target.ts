import { z } from 'zod';
import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { SimulatedBooking } from '../simulators/bookings.js';
import { startSimulators } from '../simulators/embedded.js';

/** The supplier behind the kit's server. */
export interface Target {
  readonly url: string;
  /** True if it is a simulator, which accepts directives and shows its bookings. */
  readonly simulated: boolean;
  /** Every booking of the simulator; none for a real supplier. */
  bookings(): Promise<readonly SimulatedBooking[]>;
  close(): Promise<void>;
}

/**
 * The supplier at `url`. Without `url`, starts the simulator of the supplier's file, without latency or chaos and with
 * its bookings in memory. Throws an Error if there is neither.
 */
export async function openTarget(config: SupplierConfig, url: string | undefined): Promise<Target> {
  if (url !== undefined) return at(url, await isSimulator(url), () => Promise.resolve());
  const { simulator, url: _url, ...rest } = config;
  if (!simulator) {
    const variable = `SUPPLIER_${config.id.toUpperCase()}_URL`;
    throw new Error(
      `supplier ${config.id} has neither url nor simulator: set ${variable} to the URL of its test system (adapter test: --url)`,
    );
  }
  const { chaos: _chaos, ...calm } = simulator;
  const running = await startSimulators([{ ...rest, state: 'live', simulator: { ...calm, port: 0 } }], {
    latencyScale: 0,
    includeWithUrl: false,
  });
  const server = running.servers.get(config.id);
  if (!server) throw new Error(`the simulator of ${config.id} did not start`);
  return at(server.url, true, () => running.close());
}

function at(url: string, simulated: boolean, close: () => Promise<void>): Target {
  return {
    url,
    simulated,
    bookings: async () => {
      if (!simulated) return [];
      const answer = await fetch(new URL('/__sim/bookings', url));
      return ((await answer.json()) as { bookings: readonly SimulatedBooking[] }).bookings;
    },
    close,
  };
}

const statsShape = z.object({ requests: z.number(), byVerb: z.object({}), dialectFailures: z.number() });

/** A simulator answers at this path; a real supplier does not have it. */
async function isSimulator(url: string): Promise<boolean> {
  const answer = await fetch(new URL('/__sim/stats', url), { redirect: 'manual', signal: AbortSignal.timeout(5_000) });
  if (answer.status !== 200) {
    await answer.body?.cancel();
    return false;
  }
  return statsShape.safeParse(jsonOf(await answer.text())).success;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
