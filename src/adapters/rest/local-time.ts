import type { LocalDateTime } from '../../model/locations.js';
import { toLocal } from '../../places/zone-clock.js';
import { earliestClock, inRange } from '../places/earliest-clock.js';
import { EvaluationLimit } from './expression.js';

/**
 * How a supplier writes times: `iso` (a wall clock; seconds are optional, fraction and offset are dropped, but see readDeadline),
 * `epoch-seconds` and `epoch-millis` (an instant, which needs a zone to become a wall clock), or a pattern of YYYY MM
 * DD HH mm ss.
 */
export type TimeFormat = string;

const TOKENS: Readonly<Record<string, readonly [name: string, digits: number]>> = {
  YYYY: ['year', 4],
  MM: ['month', 2],
  DD: ['day', 2],
  HH: ['hour', 2],
  mm: ['minute', 2],
  ss: ['second', 2],
};
const TOKEN = /YYYY|MM|DD|HH|mm|ss/g;
const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:[.,]\d+)?(Z|[+-]\d{2}:?\d{2})?$/;
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** Whether a format is a number of seconds or milliseconds, which gives a location's local time only with a zone. */
export function isEpoch(format: TimeFormat): format is 'epoch-seconds' | 'epoch-millis' {
  return format === 'epoch-seconds' || format === 'epoch-millis';
}

/**
 * What is wrong with a format; undefined if it is valid. A pattern has each of year, month, day, hour and minute
 * exactly once.
 */
export function formatFault(format: TimeFormat): string | undefined {
  if (format === 'iso' || isEpoch(format)) return undefined;
  const tokens: readonly string[] = format.match(TOKEN) ?? [];
  const complete =
    ['YYYY', 'MM', 'DD', 'HH', 'mm'].every((token) => tokens.includes(token)) && new Set(tokens).size === tokens.length;
  return complete
    ? undefined
    : 'must be iso, epoch-seconds, epoch-millis or a pattern with each of YYYY MM DD HH mm once (ss is optional)';
}

/**
 * Reads a supplier's time. Undefined if it doesn't match the format, isn't a valid date, or is an instant without a
 * valid zone.
 */
export function readLocal(value: unknown, format: TimeFormat, zone: string | undefined): LocalDateTime | undefined {
  if (isEpoch(format)) {
    const epochMs = epochMsOf(value, format);
    const known = zone === undefined ? undefined : knownZone(zone);
    return epochMs === undefined || known === undefined ? undefined : toLocal(epochMs, known);
  }
  if (typeof value !== 'string' || value.length > 60) return undefined;
  return existing(format === 'iso' ? readIso(value) : readPattern(value, format));
}

/**
 * Like `readLocal`, for a time until which something is free: it must not be read as a later one, so `iso` with an offset is
 * `earliestClock`. Without a valid zone, the location may be in any of `zones`.
 */
export function readDeadline(
  value: unknown,
  format: TimeFormat,
  zone: string | undefined,
  zones: () => readonly string[],
): LocalDateTime | undefined {
  const clock = readLocal(value, format, zone);
  const offset = format === 'iso' && clock !== undefined ? ISO.exec(String(value))?.[4] : undefined;
  if (clock === undefined || offset === undefined) return clock;
  const known = zone === undefined ? undefined : knownZone(zone);
  return earliestClock(clock, offset, known === undefined ? zones() : [known]);
}

/** Reads an instant as `YYYY-MM-DDTHH:mm:ssZ`: an epoch number, or ISO text with an offset. Other formats give none. */
export function readInstant(value: unknown, format: TimeFormat): string | undefined {
  const epochMs = isEpoch(format)
    ? epochMsOf(value, format)
    : typeof value === 'string' && ISO_INSTANT.test(value)
      ? inRange(Date.parse(value))
      : undefined;
  return epochMs === undefined ? undefined : `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** Writes a wall clock in a format other than an epoch. */
export function writeLocal(local: LocalDateTime, format: TimeFormat): string {
  if (format === 'iso') return local;
  const [YYYY, MM, DD, HH, mm, ss] = local.split(/[-T:]/);
  const parts: Readonly<Record<string, string | undefined>> = { YYYY, MM, DD, HH, mm, ss };
  return format.replace(TOKEN, (token) => parts[token] ?? token);
}

function readIso(text: string): string | undefined {
  const [, date, time, seconds = ':00'] = ISO.exec(text) ?? [];
  return date === undefined ? undefined : `${date}T${time}${seconds}`;
}

function readPattern(text: string, pattern: string): string | undefined {
  const { year, month, day, hour, minute, second = '00' } = patternOf(pattern).exec(text)?.groups ?? {};
  return year === undefined ? undefined : `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

const patterns = new Map<string, RegExp>();

function patternOf(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known) return known;
  const source = pattern.replace(/\W/g, '\\$&').replace(TOKEN, (token) => {
    const [name, digits] = TOKENS[token] ?? [];
    return `(?<${name}>\\d{${digits}})`;
  });
  const made = new RegExp(`^${source}$`);
  patterns.set(pattern, made);
  return made;
}

function existing(local: string | undefined): string | undefined {
  if (local === undefined) return undefined;
  const epochMs = Date.parse(`${local}Z`);
  // Date.parse reads April 31 as May 1: a date is valid only if it is written back unchanged.
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(local) ? local : undefined;
}

function epochMsOf(value: unknown, format: 'epoch-seconds' | 'epoch-millis'): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return inRange(Math.trunc(format === 'epoch-seconds' ? number * 1_000 : number));
}

/** By their names in lower case; other names of some of them exist, such as US/Eastern. */
const LISTED = new Map(Intl.supportedValuesOf('timeZone').map((zone) => [zone.toLowerCase(), zone]));

const MOST_ZONES = 1_000;
const others = new Map<string, string | undefined>();

/** Unusual names in one answer, which take 0.1 ms each to find; honest answers have a few. */
const MOST_UNUSUAL = 50;

/** The name, counted among the `unusual` ones of its answer if it is one. Throws EvaluationLimit if there are more than 50. */
export function countedZone(name: string | undefined, unusual: Set<string>): string | undefined {
  if (name !== undefined && !LISTED.has(name.toLowerCase()) && unusual.add(name).size > MOST_UNUSUAL)
    throw new EvaluationLimit(`the answer has more than ${MOST_UNUSUAL} unusual names of time zones`);
  return name;
}

/** The canonical name of a time zone; undefined if it doesn't exist. Caches at most a thousand names from suppliers. */
export function knownZone(name: string): string | undefined {
  if (name.length > 50) return undefined;
  const key = name.toLowerCase();
  const listed = LISTED.get(key);
  if (listed !== undefined || others.has(key)) return listed ?? others.get(key);
  if (others.size >= MOST_ZONES) others.clear();
  const known = canonicalZone(name);
  others.set(key, known);
  return known;
}

function canonicalZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
