import { z } from 'zod';
import { isLoopback } from '../config/loopback.js';
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
 * The supplier at `url`. It is a simulator only if it is on this machine or `mustSimulate`, and answers like one: a real
 * supplier could claim to be one, and would get bookings that aren't allowed. Without `url`, starts the simulator of the
 * supplier's file, without latency or chaos and with its bookings in memory. Throws an Error if there is neither, or if
 * what must be a simulator isn't one.
 */
export async function openTarget(
  config: SupplierConfig,
  url: string | undefined,
  mustSimulate: boolean = false,
): Promise<Target> {
  if (mustSimulate && url === undefined && !config.simulator) throw new Error(`supplier ${config.id} has no simulator`);
  if (url !== undefined) {
    const mayBe = mustSimulate || isLoopback(new URL(url).hostname);
    const simulated = mayBe && (await isSimulator(url));
    if (mustSimulate && !simulated) throw new Error('--simulator: the URL is not that of a simulator of this project');
    return at(url, simulated, () => Promise.resolve());
  }
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
      const text = await textAt(new URL('/__sim/bookings', url), MOST_BOOKINGS_BYTES);
      if (text === undefined) throw new Error('the simulator does not show its bookings');
      return (JSON.parse(text) as { bookings: readonly SimulatedBooking[] }).bookings;
    },
    close,
  };
}

const ANSWER_MS = 10_000;
const MOST_STATS_BYTES = 65_536;
/** A simulator keeps at most 20,000 bookings. */
const MOST_BOOKINGS_BYTES = 100_000_000;

const statsShape = z.object({ requests: z.number(), byVerb: z.object({}), dialectFailures: z.number() });

/** A simulator answers at this path; a real supplier does not have it. */
async function isSimulator(url: string): Promise<boolean> {
  const text = await textAt(new URL('/__sim/stats', url), MOST_STATS_BYTES);
  return text !== undefined && statsShape.safeParse(jsonOf(text)).success;
}

/** The text at a URL; undefined for a redirect, an error, or more bytes. */
async function textAt(url: URL, mostBytes: number): Promise<string | undefined> {
  const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) });
  const { status, body } = answer;
  if (status !== 200 || body === null) {
    await body?.cancel();
    return undefined;
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
