import type { Chaos } from './latency.js';

const FAULTS = { error: 'errorRate', timeout: 'timeoutRate', garbage: 'garbageRate', reset: 'resetRate' } as const;
const PART =
  /^([a-z][a-z0-9_-]*)=((?:error|timeout|garbage|reset):[0-9.]+(?:,(?:error|timeout|garbage|reset):[0-9.]+)*)$/;

/**
 * Reads SIMULATOR_CHAOS, such as `bravo=error:0.2,timeout:0.05;alpine=reset:0.1`: supplier id → shares of its calls that
 * fail. Empty = none. Throws an Error that says what is wrong if the text has another form, or a supplier's shares are not
 * from 0 to 1 together.
 */
export function chaosOf(text: string): ReadonlyMap<string, Chaos> {
  const parts = text.split(';').map((part) => part.trim());
  return new Map(parts.filter((part) => part !== '').map(readPart));
}

function readPart(part: string): [string, Chaos] {
  const [, id, shares] = PART.exec(part) ?? [];
  if (id === undefined || shares === undefined)
    throw new Error(`"${part}" is not <supplier>=<fault>:<share>,… with the faults ${Object.keys(FAULTS).join(', ')}`);
  const chaos = shares.split(',').map((share) => {
    const [fault, rate] = share.split(':') as [keyof typeof FAULTS, string];
    return [FAULTS[fault], Number(rate)] as const;
  });
  const total = chaos.reduce((sum, [, rate]) => sum + rate, 0);
  if (!(total <= 1)) throw new Error(`the shares of ${id} are more than 1 together`);
  return [id, Object.fromEntries(chaos)];
}
