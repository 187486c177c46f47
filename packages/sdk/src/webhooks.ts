import { WebhookError } from './errors.js';

/** What happened to a reservation. Ignore types and members that you don't know: later versions add some. */
export interface WebhookEvent {
  readonly type: `reservation.${string}` | 'product.deprecated' | 'webhook.test' | (string & {});
  /** When it happened: ISO 8601, UTC. */
  readonly timestamp: string;
  readonly data: {
    readonly application_id?: string;
    readonly reservation_id?: string;
    /** Version of the reservation. */
    readonly version?: number;
    readonly supplier?: string;
    readonly state?: string;
    readonly previous_state?: string;
    readonly [member: string]: unknown;
  };
}

/** A request as it arrived at your endpoint. */
export interface WebhookRequest {
  /** The body as it arrived, not parsed. */
  readonly body: string | Uint8Array;
  /** Names in lower case, or a Headers object. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
}

export interface WebhookOptions {
  /** How many seconds the timestamp may differ from your clock, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
}

const PREFIX = 'whsec_';

/**
 * The id and the event of a webhook that was signed (Standard Webhooks) with the secret of an endpoint, or with one of
 * several. An event can arrive again: always with the same id. Throws WebhookError for everything else.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: WebhookOptions = {},
): Promise<{ readonly id: string; readonly event: WebhookEvent }> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(request, name),
  ) as [string, string, string];
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (Number.isNaN(seconds))
    throw new WebhookError('invalid_timestamp', 'webhook-timestamp is not a number of seconds.');
  if (Math.abs(Date.now() / 1_000 - seconds) > toleranceSeconds)
    throw new WebhookError('expired', 'The webhook is older or newer than the tolerance.');
  const body = typeof request.body === 'string' ? encode(request.body) : request.body;
  const signed = joined(encode(`${id}.${timestamp}.`), body);
  const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? (decode64(one.slice(3)) ?? []) : []));
  if (!(await isSigned(signed, given, typeof secrets === 'string' ? [secrets] : secrets)))
    throw new WebhookError('invalid_signature', 'No signature is of this body with a known secret.');
  try {
    return { id, event: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent };
  } catch {
    throw new WebhookError('invalid_body', 'The body is not JSON.');
  }
}

/** Whether a signature is valid with a secret. WebCrypto compares in constant time. */
async function isSigned(signed: Bytes, given: readonly Bytes[], secrets: readonly string[]): Promise<boolean> {
  let isValid = false;
  for (const secret of secrets) {
    const raw = decode64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
    if (!raw || raw.length === 0) throw new TypeError('A secret of webhooks is whsec_ and base64.');
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
    for (const one of given) if (await crypto.subtle.verify('HMAC', key, one, signed)) isValid = true;
  }
  return isValid;
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== 'string' || value === '') throw new WebhookError('missing_header', `${name} is missing.`);
  return value;
}

type Bytes = Uint8Array<ArrayBuffer>;

const encode = (text: string): Bytes => new TextEncoder().encode(text);

function joined(first: Bytes, second: Uint8Array): Bytes {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** The bytes of a base64 text; undefined if it isn't one. */
function decode64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  } catch {
    return undefined;
  }
}
