import type { FastifyRequest } from 'fastify';
import { isDoubled } from '../http/open-request.js';
import { formOf, MOST_FIELDS } from '../http/request-body.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';
import { ApiError } from '../status/api-error.js';

/** Parameters of a form body. Each may occur once; those without a value are ignored (RFC 6749 §3.1). */
export type Form = ReadonlyMap<string, string>;

/** A client id and secret as a client sent them. */
export interface ClientPair {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Random, so their digits mean nothing. */
const SECRETS = new Set(['client_secret', 'token']);
/** A valid form has some hundred: a longer one would only cost time. */
const MOST_CHARACTERS = 8_192;
const FORM_TYPE = /^application\/x-www-form-urlencoded *(;|$)/i;

/** Reads the body of an OAuth request: undecoded form text. Throws ApiError `invalid_request`. */
export function readForm(request: FastifyRequest): Form {
  if (typeof request.body !== 'string' || !FORM_TYPE.test(request.headers['content-type'] ?? '')) {
    throw ApiError.of('invalid_request', 'The request must have a body of the type application/x-www-form-urlencoded.');
  }
  if (request.body.length > MOST_CHARACTERS)
    throw ApiError.of('invalid_request', `The form has more than ${MOST_CHARACTERS} characters.`);
  const form = new Map<string, string>();
  const seen = new Set<string>();
  const sent = formOf(request.body);
  if (!sent) throw ApiError.of('invalid_request', `A form has at most ${MOST_FIELDS} fields.`);
  for (const [name, value] of sent) {
    if (seen.has(name))
      throw ApiError.of('invalid_request', `The parameter ${printable(name)} must be sent only once.`);
    seen.add(name);
    if (holdsCardNumber(name) || (!SECRETS.has(name) && holdsCardNumber(value)))
      throw ApiError.of('invalid_request', 'A parameter looks like a payment card number. Remove it.');
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** The value of a required parameter. */
export function needed(form: Form, name: string): string {
  const value = form.get(name);
  if (value === undefined) throw ApiError.of('invalid_request', `The parameter ${name} is missing.`);
  return value;
}

/**
 * Reads the client credentials (RFC 6749 §2.3) from client_secret_basic or client_secret_post. Throws ApiError: both →
 * invalid_request; none, or a malformed header → invalid_client.
 */
export function clientPair(request: FastifyRequest, form: Form): ClientPair {
  const header = request.headers.authorization;
  const clientId = form.get('client_id');
  const clientSecret = form.get('client_secret');
  if (header === undefined) {
    if (clientId === undefined || clientSecret === undefined) {
      throw invalidClient(
        'Client authentication is missing. Use HTTP Basic, or send client_id and client_secret in the body.',
      );
    }
    return { clientId, clientSecret };
  }
  if (clientSecret !== undefined || isDoubled(request.raw.rawHeaders, 'authorization')) {
    throw ApiError.of(
      'invalid_request',
      'Use only one way of client authentication: HTTP Basic, or client_id and client_secret in the body.',
    );
  }
  const pair = basicPair(header);
  if (clientId !== undefined && clientId !== pair.clientId) {
    throw ApiError.of('invalid_request', 'The client_id in the body differs from that in the Authorization header.');
  }
  return pair;
}

/** invalid_client: 401 with the challenge of RFC 6749 §5.2. */
export function invalidClient(details: string): ApiError {
  return ApiError.of('authentication_failure', details, {
    headers: { 'www-authenticate': 'Basic realm="cars", charset="UTF-8"' },
  });
}

/** A 400 with its own error code in RFC 6749 §5.2. */
export function refused(code: 'unsupported_grant_type' | 'invalid_scope' | 'invalid_grant', details: string): ApiError {
  return ApiError.of('invalid_request', details, { cause: code });
}

/** Decodes an id or secret, which are form-encoded before they are joined (RFC 6749 §2.3.1). */
function basicPair(header: string): ClientPair {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1] ?? '';
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon === -1 ? undefined : formDecoded(text.slice(0, colon));
  const clientSecret = formDecoded(text.slice(colon + 1));
  if (!clientId || !clientSecret)
    throw invalidClient('The Authorization header must be: Basic base64(client_id:client_secret).');
  return { clientId, clientSecret };
}

function formDecoded(text: string): string | null {
  return new URLSearchParams(`value=${text.replaceAll('&', '%26')}`).get('value');
}

function printable(name: string): string {
  return /^[\w.-]{1,64}$/.test(name) ? name : 'that was repeated';
}
