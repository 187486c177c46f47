import { randomBytes } from 'node:crypto';
import type { SimulatedAnswer, SimulatedRequest } from '../world.js';
import { json } from './answers.js';

const MAX_TOKENS = 1_000;

/** Issues and checks the tokens of one client. */
export interface TokenHandlers {
  /** GET /oauth/token/v2: credentials in headers, no body. */
  issue(request: SimulatedRequest): SimulatedAnswer;
  /** Whether an Authorization header has a token that was issued here and has not expired. */
  accepts(authorization: string | undefined): boolean;
}

/**
 * `ttlSeconds` is the lifetime in the answer and the real one. Keeps at most 1,000 valid tokens and evicts the oldest.
 */
export function createTokenHandlers(
  clientId: string,
  clientSecret: string,
  now: () => number,
  ttlSeconds: number,
): TokenHandlers {
  const expiryByToken = new Map<string, number>();

  function mint(): SimulatedAnswer {
    for (const [token, expiry] of expiryByToken) {
      if (expiry > now() && expiryByToken.size < MAX_TOKENS) break;
      expiryByToken.delete(token);
    }
    const token = randomBytes(24).toString('base64url');
    expiryByToken.set(token, now() + ttlSeconds * 1_000);
    return json(
      200,
      { access_token: token, token_type: 'Bearer', expires_in: ttlSeconds },
      { 'cache-control': 'no-store' },
    );
  }

  return {
    issue: ({ headers }) => {
      // Since 2023 the token endpoint has its own error format, unlike the product calls and the API gateway.
      if (headers.client_id !== clientId) {
        const errorSummary = 'client_id is missing or unknown';
        return json(400, {
          errorCode: 'invalid_request',
          errorSummary,
          errorLink: 'invalid_request',
          errorId: 'sim',
          errorCauses: [],
        });
      }
      if (headers.client_secret !== clientSecret) {
        return json(401, { errorCode: 'invalid_client', error_description: 'The client secret supplied is invalid.' });
      }
      return mint();
    },
    accepts: (authorization) => {
      const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
      return token !== undefined && (expiryByToken.get(token) ?? 0) > now();
    },
  };
}
