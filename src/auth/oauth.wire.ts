import { z } from 'zod';
import type { DescribedAnswers } from '../http/operation.decorator.js';
import { headerParameter } from '../http/operation-parts.js';
import { statusWire } from '../status/status.wire.js';

/** Requests and answers of the token operations, for the API description. */
export const tokenAnswer = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Remaining lifetime in seconds.'),
    status: statusWire,
  })
  .meta({ id: 'TokenAnswer' });

const oauthForm = z.looseObject({
  client_id: z
    .string()
    .optional()
    .describe('Required with client_secret if the Authorization header (Basic) is absent.'),
  client_secret: z.string().optional(),
});

/** RFC 6749 §4.4.2. */
export const tokenForm = oauthForm.extend({ grant_type: z.literal('client_credentials') });

/** RFC 7009 §2.1 and RFC 7662 §2.1. */
export const ownTokenForm = oauthForm.extend({
  token: z.string().describe('An access token of this client.'),
  token_type_hint: z.string().optional(),
});

/** RFC 6749 §5.1. */
export const oauthTokenAnswer = z
  .strictObject({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int().describe('Remaining lifetime in seconds.'),
  })
  .meta({ id: 'OAuthTokenAnswer' });

/** RFC 7662 §2.2. */
export const introspection = z
  .strictObject({
    active: z.boolean().describe('Also false for tokens of other clients.'),
    client_id: z.string().optional(),
    token_type: z.literal('Bearer').optional(),
    exp: z.int().optional().describe('Expiration time, in Unix seconds.'),
  })
  .meta({ id: 'Introspection' });

/** RFC 8414 §2. */
export const oauthMetadata = z
  .looseObject({
    issuer: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    introspection_endpoint: z.string(),
  })
  .meta({ id: 'OAuthMetadata' });

const oauthError = z
  .strictObject({ error: z.string().describe('Code of RFC 6749 §5.2.'), error_description: z.string() })
  .meta({ id: 'OAuthError' });

/** The errors of the OAuth operations (oauth-errors.ts). */
export const OAUTH_ERRORS: DescribedAnswers = {
  400: ['invalid_request, or another code of RFC 6749 §5.2.', oauthError],
  401: ['invalid_client; see WWW-Authenticate.', oauthError],
  408: ['temporarily_unavailable; the connection is closed.', oauthError],
  429: ['temporarily_unavailable: too many calls, or too many wrong credentials; see Retry-After.', oauthError],
  500: ['server_error.', oauthError],
  503: ['temporarily_unavailable; see Retry-After.', oauthError],
};

/** The common parts of the descriptions of the OAuth operations. */
export const OAUTH = {
  tag: 'Token',
  bodyType: 'application/x-www-form-urlencoded',
  headers: [
    headerParameter(
      'Authorization',
      'Basic, as defined in RFC 6749 §2.3.1; or client_id and client_secret in the body, but not both.',
    ),
  ],
} as const;
