import type { SupplierConfig } from '../config/supplier-config.schema.js';
import type { CallSpan } from '../metrics/request-trace.js';
import { traceparentOf } from '../tracing/trace-context.js';

/** The scenario's directive and seed, the test clock and the account, sent as headers to a simulated supplier. Empty for a real supplier. */
export interface SimulationHeaders {
  readonly directive?: string;
  readonly seed?: number;
  /** The time by the application's test clock, in epoch milliseconds. */
  readonly clock?: number;
  /** The id of the account that books. */
  readonly account?: string;
}

/** What to send to a supplier's simulator; nothing if the supplier is real. */
export function simulationHeaders(
  config: SupplierConfig,
  {
    directive,
    seed,
    clock,
    account,
  }: {
    readonly directive?: string | undefined;
    readonly seed?: number | undefined;
    readonly clock?: number | undefined;
    readonly account?: string | undefined;
  },
): SimulationHeaders {
  if (!config.isSimulated) return {};
  return {
    ...(directive === undefined ? {} : { directive }),
    ...(seed === undefined ? {} : { seed }),
    ...(clock === undefined ? {} : { clock }),
    ...(account === undefined ? {} : { account }),
  };
}

/** What the engine adds to every HTTP call of an operation. */
export function addedHeaders(
  { directive, seed, clock, account }: SimulationHeaders,
  span?: CallSpan,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (directive !== undefined) headers['x-sim-directive'] = directive;
  if (seed !== undefined) headers['x-sim-seed'] = String(seed);
  if (clock !== undefined) headers['x-sim-clock'] = String(clock);
  if (account !== undefined) headers['x-sim-account'] = account;
  if (span !== undefined) headers.traceparent = traceparentOf(span);
  return headers;
}

/** Host and port of a supplier's URL, as in its spans. */
export function addressOf(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
