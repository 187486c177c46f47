import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { signCall } from '../../src/admin-keys/message-signature.js';

/** A key file of `gw admin-keys create`. */
export interface AdminKeyFile {
  readonly key_id: string;
  readonly private_key: string;
}

/** An answer of the admin API. */
export interface AdminAnswered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  readonly body: any;
}

/** How a call differs from a right one. */
export interface CallChanges {
  /** Sent in place of the signed headers, or added to them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent in place of the signed body. */
  readonly sentBody?: string;
  /** How many seconds the caller's clock is ahead. */
  readonly aheadSeconds?: number;
}

/** The headers of a signed call. `aheadSeconds`: as if the caller's clock were ahead. */
export function signedHeaders(key: AdminKeyFile, method: string, target: string, body = '', aheadSeconds = 0) {
  const now = Date.now;
  Date.now = () => now() + aheadSeconds * 1_000;
  try {
    return signCall({ method, target }, Buffer.from(body), { keyId: key.key_id, privateKey: key.private_key });
  } finally {
    Date.now = now;
  }
}

/** Calls the admin API at `origin`; `value` is the body, undefined = none. */
export async function adminCall(
  origin: string,
  key: AdminKeyFile,
  [method, target, value]: readonly [string, string, unknown?],
  { headers, sentBody, aheadSeconds }: CallChanges = {},
): Promise<AdminAnswered> {
  const body = value === undefined ? '' : JSON.stringify(value);
  const signed = signedHeaders(key, method, target, body, aheadSeconds);
  const sent = sentBody ?? body;
  const response = await fetch(`${origin}${target}`, {
    ...{ method, headers: { connection: 'close', ...signed, ...headers } },
    ...(sent === '' ? {} : { body: sent }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** A signed GET with a body, which `fetch` doesn't send. */
export function requestWithBody(
  origin: string,
  key: AdminKeyFile,
  target: string,
  body: string,
): Promise<AdminAnswered> {
  return new Promise((resolve, reject) => {
    const headers = { ...signedHeaders(key, 'GET', target, body), 'content-length': Buffer.byteLength(body) };
    const sent = request(`${origin}${target}`, { headers, agent: false }, async (response) => {
      const text = (await response.toArray()).join('');
      resolve({ status: response.statusCode ?? 0, headers: new Headers(), text, body: JSON.parse(text) });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Where a gateway serves its admin API, from its first-steps.json. */
export function adminOrigin(dataFolder: string): string {
  const { urls } = JSON.parse(readFileSync(join(dataFolder, 'first-steps.json'), 'utf8')) as {
    readonly urls: { readonly admin: string };
  };
  return new URL(urls.admin).origin;
}
