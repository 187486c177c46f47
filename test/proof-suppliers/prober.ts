import { fileURLToPath } from 'node:url';
import type { Child } from '../support/child.js';

/**
 * What a process holds after garbage collection. `listenerWarnings`: how often Node warned about accumulating
 * listeners.
 */
export interface Held {
  readonly heapBytes: number;
  readonly sockets: number;
  readonly timers: number;
  readonly listenerWarnings: number;
}

/** The Node argument for a process to be probed. */
export const PROBED = `--import=${fileURLToPath(new URL('./probe.mjs', import.meta.url))}`;

/** Asks a process that was started with `PROBED` what it holds, one request at a time. */
export function proberOf(child: Child): () => Promise<Held> {
  let count = 0;
  return async () => {
    count += 1;
    child.process.kill('SIGUSR2');
    const end = ` END ${count}\n`;
    await child.printed(end);
    const [, text = ''] = new RegExp(`PROBE ${count} (.*)${end}`).exec(child.output()) ?? [];
    return JSON.parse(text) as Held;
  };
}
