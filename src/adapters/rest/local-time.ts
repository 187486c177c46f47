import type { LocalDateTime } from '../../model/locations.js';
import { toLocal } from '../../places/zone-clock.js';

/**
 * How a supplier writes times: `iso` (a wall clock, seconds may be missing, fraction and offset are cut), `epoch-seconds` and `epoch-millis`
 * (an instant: a zone turns it into the wall clock), or a pattern of YYYY MM DD HH mm ss.
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
const ISO = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?$/;
const ISO_INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;
const LATEST_MS = Date.UTC(2200, 0, 1);
const EARLIEST_MS = Date.UTC(2000, 0, 1);

/** Whether a format is a number of seconds or milliseconds, which says nothing of a counter's clock without a zone. */
export function isEpoch(format: TimeFormat): format is 'epoch-seconds' | 'epoch-millis' {
  return format === 'epoch-seconds' || format === 'epoch-millis';
}

/** What is wrong with a format; undefined = nothing. A pattern names each of year, month, day, hour and minute once. */
export function formatFault(format: TimeFormat): string | undefined {
  if (format === 'iso' || isEpoch(format)) return undefined;
  const tokens: readonly string[] = format.match(TOKEN) ?? [];
  const complete =
    ['YYYY', 'MM', 'DD', 'HH', 'mm'].every((token) => tokens.includes(token)) && new Set(tokens).size === tokens.length;
  return complete
    ? undefined
    : 'is iso, epoch-seconds, epoch-millis or a pattern with each of YYYY MM DD HH mm once (ss may be left out)';
}

/** Reads a supplier's time. Undefined when it does not fit the format, is no date, or is an instant without a zone that exists. */
export function readLocal(value: unknown, format: TimeFormat, zone: string | undefined): LocalDateTime | undefined {
  if (isEpoch(format)) {
    const epochMs = epochMsOf(value, format);
    const known = zone === undefined ? undefined : knownZone(zone);
    return epochMs === undefined || known === undefined ? undefined : toLocal(epochMs, known);
  }
  if (typeof value !== 'string' || value.length > 60) return undefined;
  return existing(format === 'iso' ? readIso(value) : readPattern(value, format));
}

/** Reads an instant: an epoch number, or ISO text that says its offset; other formats tell none. `YYYY-MM-DDTHH:mm:ssZ`. */
export function readInstant(value: unknown, format: TimeFormat): string | undefined {
  const epochMs = isEpoch(format)
    ? epochMsOf(value, format)
    : typeof value === 'string' && ISO_INSTANT.test(value)
      ? inRange(Date.parse(value))
      : undefined;
  return epochMs === undefined ? undefined : `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** Writes our wall clock in a format that is no epoch. */
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
  // The 31st of April parses as the 1st of May: only what is written back alike is a date.
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString().startsWith(local) ? local : undefined;
}

function epochMsOf(value: unknown, format: 'epoch-seconds' | 'epoch-millis'): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return inRange(Math.trunc(format === 'epoch-seconds' ? number * 1_000 : number));
}

function inRange(epochMs: number): number | undefined {
  return epochMs >= EARLIEST_MS && epochMs < LATEST_MS ? epochMs : undefined;
}

const MOST_ZONES = 1_000;
const zones = new Map<string, string | undefined>();

/** The zone in its one spelling; undefined when there is none of that name. Remembered, but never more than a thousand names of suppliers. */
export function knownZone(name: string): string | undefined {
  if (zones.has(name)) return zones.get(name);
  if (zones.size >= MOST_ZONES) zones.clear();
  const known = name.length > 50 ? undefined : canonicalZone(name);
  zones.set(name, known);
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
