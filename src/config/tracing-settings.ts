import { z } from 'zod';

/** The header names and values of OTEL_EXPORTER_OTLP_HEADERS: `name=value,…` with percent-encoded values. Undefined = invalid. */
export function otlpHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const [name = '', ...rest] = pair.split('=');
    const value = decoded(rest.join('=').trim());
    if (rest.length === 0 || value === undefined || !isHeader(name.trim(), value)) return undefined;
    headers[name.trim().toLowerCase()] = value;
  }
  return headers;
}

function isHeader(name: string, value: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Faults don't quote the URL: it may hold a password. */
function isCollector(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && [username, password, search, hash].every((part) => part === '');
}

/** Where traces of requests are sent, and which (docs/tracing.md). */
export const tracingSettings = z
  .strictObject({
    endpoint: z
      .string()
      .refine(
        isCollector,
        'must be an http or https URL without user, query and fragment: credentials belong in headers',
      )
      .optional()
      .describe('Base URL of an OpenTelemetry collector; "/v1/traces" is added. Default: requests are not traced.'),
    headers: z
      .string()
      .refine((text) => otlpHeaders(text) !== undefined, 'must be name=value pairs with commas between them')
      .default('')
      .describe('Headers of every export: "name=value,…", values percent-encoded.'),
    serviceName: z.string().min(1).max(255).default('forecourt').describe('Attribute service.name of all spans.'),
    timeoutMs: z
      .number()
      .int()
      .min(100)
      .max(60_000)
      .default(10_000)
      .describe('How long one export may take with its retries. Then its spans are lost.'),
    slowMs: z
      .number()
      .int()
      .min(1)
      .max(120_000)
      .default(3_000)
      .describe('Every request that took this long or longer is kept.'),
    share: z
      .number()
      .min(0)
      .max(1)
      .default(0.01)
      .describe('Share that is kept of the requests that are neither partial results, 5xx nor slow.'),
    callersPerSecond: z
      .number()
      .int()
      .min(0)
      .max(10_000)
      .default(10)
      .describe('Requests per second that are kept because the caller sampled them. Others count as not sampled.'),
    bufferBytes: z
      .number()
      .int()
      .min(10_000)
      .max(1_000_000_000)
      .default(4_000_000)
      .describe('Memory for traces that wait for the collector. Beyond it, the oldest are lost.'),
  })
  .prefault({});

export type TracingSettings = z.infer<typeof tracingSettings>;
