import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';

/** What became of a batch of spans. `lost` is 0 unless there is a reason. */
export interface Delivery {
  readonly exported: number;
  readonly lost: number;
  /**
   * unavailable: no success within the time; refused: the collector answered with a status that isn't repeated; rejected:
   * it accepted the batch without some spans.
   */
  readonly reason?: 'unavailable' | 'refused' | 'rejected';
  /** For the log: the status, the error code, or the message of a collector that rejected spans. */
  readonly why?: string;
}

/** Where to send a batch. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For all attempts together. */
  readonly timeoutMs: number;
}

/** Statuses after which OTLP/HTTP allows a repeat. */
const REPEATABLE = new Set([429, 502, 503, 504]);
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** A collector answers with a few bytes. */
const MOST_ANSWER_BYTES = 65_536;

/**
 * Sends a batch to an OTLP/HTTP collector. Repeats it after a connection error or a status that allows it, with growing pauses or as
 * Retry-After requests, while `timeoutMs` allows it. Never rejects.
 */
export async function deliver(body: Buffer, spans: number, { url, headers, timeoutMs }: Target): Promise<Delivery> {
  const endsAt = performance.now() + timeoutMs;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    const attempt = await post(url, headers, body, endsAt - performance.now());
    if (attempt.status !== undefined && attempt.status >= 200 && attempt.status < 300)
      return accepted(spans, attempt.text);
    const why = attempt.status === undefined ? attempt.text : `status ${attempt.status}`;
    if (attempt.status !== undefined && !REPEATABLE.has(attempt.status))
      return { exported: 0, lost: spans, reason: 'refused', why };
    // Gateways that lost the same collector must not come back together.
    const waitMs = attempt.retryAfterMs ?? pauseMs * (0.5 + Math.random() / 2);
    if (performance.now() + waitMs >= endsAt) return { exported: 0, lost: spans, reason: 'unavailable', why };
    await wait(waitMs);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

interface Attempt {
  /** Undefined if there was no complete answer; then `text` is the code of the error. */
  readonly status: number | undefined;
  readonly text: string;
  /** Undefined = not requested. */
  readonly retryAfterMs?: number | undefined;
}

async function post(url: string, headers: Target['headers'], body: Buffer, timeoutMs: number): Promise<Attempt> {
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body,
      signal: AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs))),
    });
    const retryAfterMs = retryAfter(answer.headers['retry-after']);
    return { status: answer.statusCode, text: await firstBytes(answer.body), retryAfterMs };
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown };
    return { status: undefined, text: String(code === undefined || typeof code === 'number' ? name : code) };
  }
}

/** The beginning of an answer. The connection is closed if there is more. */
async function firstBytes(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MOST_ANSWER_BYTES) break;
  }
  return Buffer.concat(chunks).toString();
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter(value: string | string[] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const ms = /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** A success may report spans that were rejected (ExportTracePartialSuccess). */
function accepted(spans: number, text: string): Delivery {
  const { rejectedSpans, errorMessage } = partialSuccess(text);
  const lost = Math.min(spans, Math.max(0, Number(rejectedSpans) || 0));
  if (lost === 0) return { exported: spans, lost };
  return { exported: spans - lost, lost, reason: 'rejected', why: String(errorMessage ?? '') };
}

function partialSuccess(text: string): { readonly rejectedSpans?: unknown; readonly errorMessage?: unknown } {
  try {
    const answer = JSON.parse(text) as { partialSuccess?: object } | null;
    return answer?.partialSuccess ?? {};
  } catch {
    // Collectors may answer with an empty body or protobuf: the status is what counts.
    return {};
  }
}
