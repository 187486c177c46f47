/** Limits the pause that a supplier can request, so that a wrong header doesn't disable it for good. */
const MAX_PAUSE_MS = 60_000;

const HTTP_DATE = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*\d/i;

/**
 * Parses Retry-After (seconds, with or without decimals, or an HTTP date) to milliseconds: at most a minute;
 * 0 if it is absent, negative, past or invalid.
 */
export function retryAfterMs(header: string | string[] | undefined, epochMs: number): number {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  const ms = /^\d+(\.\d+)?$/.test(text)
    ? Math.ceil(Number(text) * 1000)
    : HTTP_DATE.test(text)
      ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) - epochMs
      : 0;
  return ms > 0 ? Math.min(ms, MAX_PAUSE_MS) : 0;
}
