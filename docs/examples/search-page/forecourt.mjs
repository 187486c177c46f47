// Calls of Forecourt with one access token for all visitors. The client secret never leaves the server.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { env } = process;
const steps = env.CLIENT_ID
  ? undefined
  : JSON.parse(readFileSync(join(env.DATA_DIR ?? 'data', 'first-steps.json'), 'utf8'));
const API = env.FORECOURT_URL ?? steps?.base_url;
const CLIENT_ID = env.CLIENT_ID ?? steps?.applications[0].client_id;
const CLIENT_SECRET = env.CLIENT_SECRET ?? steps?.applications[0].client_secret;

/** @type {Promise<{ text: string, until: number }> | undefined} */
let token;

async function newToken() {
  const answer = await fetch(`${API}/oauth/token/v1`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!answer.ok) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  const { access_token, expires_in } = await answer.json();
  return { text: String(access_token), until: Date.now() + (expires_in - 60) * 1000 };
}

/**
 * The cached token, or a new one if it is about to expire or was refused.
 * @param {string} [refused]
 */
async function currentToken(refused) {
  const cached = token;
  const known = await cached?.catch(() => undefined);
  if (known && known.text !== refused && Date.now() < known.until) return known.text;
  if (token === cached) token = newToken();
  return (await /** @type {NonNullable<typeof token>} */ (token)).text;
}

/**
 * Calls an operation; with a new token if the first one was refused.
 * @param {string} path
 * @param {{ method?: string, headers?: Record<string, string>, body?: unknown }} [options]
 */
export async function forecourt(path, { method = 'GET', headers = {}, body } = {}) {
  /** @param {string} text */
  const send = (text) =>
    fetch(API + path, {
      method,
      headers: { ...headers, authorization: `Bearer ${text}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
      signal: AbortSignal.timeout(30_000),
    });
  const text = await currentToken();
  const answer = await send(text);
  return answer.status === 401 ? send(await currentToken(text)) : answer;
}
