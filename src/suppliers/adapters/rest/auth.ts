import { type SupplierContext, SupplierError, type SupplierSession } from '../../supplier.js';
import { AnswerReader } from './answer-reader.js';
import type { Auth } from './auth.schema.js';
import { Evaluation, Expression } from './expression.js';
import type { Manifest } from './manifest.schema.js';
import { readReply } from './reply.js';
import { buildCall } from './rest-api.js';
import { fillHeader, type Template } from './template.js';

type Credentials = Readonly<Record<string, string>>;

/** Some suppliers say nothing; then a session is renewed this often. */
const USUAL_SECONDS = 300;
const MOST_SECONDS = 86_400;

/** The headers of an authentication without a session; none for the others. Throws SupplierError for a secret that no header can carry. */
export function fixedHeaders(auth: Auth, credentials: Credentials): Readonly<Record<string, string>> {
  if (auth.kind === 'header') return filled(auth.headers, credentials);
  if (auth.kind === 'basic') return basic(credentials[auth.username] ?? '', credentials[auth.password] ?? '');
  return {};
}

/** Fetches a session; undefined where calls need none. The function rejects with SupplierError: `auth` when the supplier refuses the secrets. */
export function sessionOf(
  manifest: Manifest,
  credentials: Credentials,
): ((context: SupplierContext) => Promise<SupplierSession>) | undefined {
  const { auth } = manifest;
  if (auth.kind === 'oauth2') return (context) => oauthSession(auth, manifest, credentials, context);
  if (auth.kind === 'token') return (context) => tokenSession(auth, manifest, credentials, context);
  return undefined;
}

async function tokenSession(
  auth: Extract<Auth, { kind: 'token' }>,
  manifest: Manifest,
  credentials: Credentials,
  context: SupplierContext,
): Promise<SupplierSession> {
  const open = { requestId: context.requestId, environment: context.environment };
  const call = buildCall(auth.request, { open, secret: credentials, personal: {} }, { shared: manifest.headers });
  const reader = sessionReader(await context.http.send(call, true), manifest, open);
  const token = reader.text(auth.token, reader.answer);
  if (token === undefined) throw new SupplierError('bad_payload', `the session has no "${auth.token.text}"`);
  const said = auth.expiresInSeconds instanceof Expression ? reader.count(auth.expiresInSeconds, reader.answer) : auth.expiresInSeconds;
  return { headers: filled(auth.headers, { token }), expiresInSeconds: bounded(said) };
}

/** RFC 6749, client credentials. */
async function oauthSession(
  auth: Extract<Auth, { kind: 'oauth2' }>,
  manifest: Manifest,
  credentials: Credentials,
  context: SupplierContext,
): Promise<SupplierSession> {
  const id = credentials[auth.clientId] ?? '';
  const secret = credentials[auth.clientSecret] ?? '';
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (auth.scope !== undefined) form.set('scope', auth.scope);
  if (auth.sendSecret === 'body') {
    form.set('client_id', id);
    form.set('client_secret', secret);
  }
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(auth.sendSecret === 'basic' && basic(encodeURIComponent(id), encodeURIComponent(secret))),
  };
  const answer = await context.http.send({ method: 'POST', path: auth.path, headers, body: form.toString() }, true);
  const body = sessionReader(answer, manifest, {}).answer;
  const { access_token: token, expires_in: seconds } = (body ?? {}) as { readonly access_token?: unknown; readonly expires_in?: unknown };
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,8000}$/.test(token)) throw new SupplierError('bad_payload', 'the session has no token');
  return { headers: { authorization: `Bearer ${token}` }, expiresInSeconds: bounded(Number(seconds)) };
}

/** A 400 refuses the secrets too (RFC 6749 5.2); nothing else of an answer that is no success depends on what was asked. */
function sessionReader(answer: Parameters<typeof readReply>[0], manifest: Manifest, request: object): AnswerReader {
  if (answer.status === 400) throw new SupplierError('auth', 'answered 400: the credentials are not accepted');
  const reply = readReply(answer, manifest.errors, [], new Evaluation({ request }));
  return new AnswerReader(manifest, reply?.body, request);
}

function filled(headers: Readonly<Record<string, Template>>, values: object): Readonly<Record<string, string>> {
  const evaluation = new Evaluation({ request: {} });
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, template]) => {
      const value = fillHeader(name, template, values, evaluation);
      return value === undefined ? [] : [[name.toLowerCase(), value]];
    }),
  );
}

function basic(username: string, password: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

function bounded(seconds: number | undefined): number {
  return seconds !== undefined && seconds > 0 ? Math.min(seconds, MOST_SECONDS) : USUAL_SECONDS;
}
