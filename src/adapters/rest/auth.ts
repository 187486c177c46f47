import {
  type SupplierContext,
  SupplierError,
  type SupplierHttpAnswer,
  type SupplierSession,
} from '../../model/supplier.js';
import type { Auth } from './auth.schema.js';
import type { ErrorRule } from './errors.js';
import { Evaluation, Expression } from './expression.js';
import { lifetimeSeconds } from './lifetime.js';
import type { Manifest } from './options.js';
import { type BodyFormat, JSON_BODY, readReply } from './reply.js';
import { buildCall } from './rest-api.js';
import { fillHeader, type Template } from './template.js';
import { AnswerReader } from './wire.js';

type Credentials = Readonly<Record<string, string>>;

/** Renewal interval of a session if the supplier returns no lifetime, or one that has passed. */
const USUAL_SECONDS = 300;

/**
 * Headers of an authentication without a session; empty for other kinds. Throws SupplierError if a secret can't be sent
 * in a header.
 */
export function fixedHeaders(auth: Auth, credentials: Credentials): Readonly<Record<string, string>> {
  if (auth.kind === 'header') return fillHeaders(auth.headers, credentials);
  if (auth.kind === 'basic') return basic(credentials[auth.username] ?? '', credentials[auth.password] ?? '');
  return {};
}

/**
 * Returns the function that fetches a session; undefined if calls need none. It rejects with SupplierError `auth` if
 * the supplier rejects the credentials.
 */
export function sessionOf(
  manifest: Manifest,
  credentials: Credentials,
): ((context: SupplierContext) => Promise<SupplierSession>) | undefined {
  const { auth } = manifest;
  if (auth.kind === 'oauth2') return (context) => oauthSession(auth, credentials, context);
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
  const body = sessionBody(await context.http.send(call, true), manifest.errors, open, manifest);
  const reader = new AnswerReader(manifest, body, open);
  const given = reader.node(auth.token, body);
  const token = tokenOf(typeof given === 'number' ? String(given) : given);
  const stated = lifetimeOf(auth, reader, body, context.now);
  return { headers: fillHeaders(auth.headers, { token }), expiresInSeconds: usableLifetime(stated) };
}

function lifetimeOf(
  { expiresInSeconds, expires }: Extract<Auth, { kind: 'token' }>,
  reader: AnswerReader,
  body: unknown,
  now: number,
): number | undefined {
  if (expires) {
    const { value, unit } = expires;
    return lifetimeSeconds(unit === 'iso' ? reader.text(value, body) : reader.number(value, body), unit, now);
  }
  return expiresInSeconds instanceof Expression ? reader.count(expiresInSeconds, body) : expiresInSeconds;
}

/** Client credentials grant (RFC 6749). Its answers have a standard form, so the manifest's rules don't apply. */
async function oauthSession(
  auth: Extract<Auth, { kind: 'oauth2' }>,
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
  const body = sessionBody(answer, [], {}, JSON_BODY);
  const { access_token: token, expires_in: seconds } = (body ?? {}) as {
    readonly access_token?: unknown;
    readonly expires_in?: unknown;
  };
  return { headers: { authorization: `Bearer ${tokenOf(token)}` }, expiresInSeconds: usableLifetime(Number(seconds)) };
}

/**
 * A 400 also means rejected credentials (RFC 6749, section 5.2). The request doesn't affect how other error answers are
 * read.
 */
function sessionBody(
  answer: SupplierHttpAnswer,
  rules: readonly ErrorRule[],
  request: object,
  format: BodyFormat,
): unknown {
  if (answer.status === 400) throw new SupplierError('auth', 'answered 400: the credentials are not accepted');
  return readReply(answer, rules, [], request, format)?.body;
}

/**
 * A token of printable ASCII without spaces; the engine bounds its length. Throws SupplierError bad_payload for
 * anything else.
 */
function tokenOf(given: unknown): string {
  if (typeof given === 'string' && /^[\x21-\x7e]+$/.test(given)) return given;
  throw new SupplierError('bad_payload', 'the session answer has no token that can be sent in a header');
}

function fillHeaders(headers: Readonly<Record<string, Template>>, values: object): Readonly<Record<string, string>> {
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

function usableLifetime(seconds: number | undefined): number {
  return seconds !== undefined && seconds > 0 ? seconds : USUAL_SECONDS;
}
