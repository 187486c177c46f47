import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Reason } from '../status/reasons.js';

/** What the status container says, as far as an OAuth error tells it. */
const container = z.object({
  status: z.object({
    errors: z.array(z.object({ reason: z.string(), details: z.string(), cause: z.string().optional() })).min(1),
  }),
});

/** Reason (spec §7.3) → error code: RFC 6749 §5.2, and for what it has no word, §4.1.2.1. A cause is a code already. */
const CODES: Partial<Record<Reason, string>> = {
  authentication_failure: 'invalid_client',
  timeout: 'temporarily_unavailable',
  throttled: 'temporarily_unavailable',
  maintenance: 'temporarily_unavailable',
  unexpected_condition: 'server_error',
};

/**
 * Makes the POST operations under /oauth/ what their RFCs describe, on whatever way an answer is made: their errors are `{error, error_description}` instead of the status container. Call it before routes are registered.
 */
export function speakOAuth(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (!isOAuth(route.method, route.url)) return;
    route.onSend = (_request, reply, payload, done) => {
      if (reply.statusCode < 400) return done(null, payload);
      reply.header('pragma', 'no-cache');
      done(null, oauthError(payload));
    };
  });
}

function isOAuth(method: string | string[] | undefined, url: string | undefined): boolean {
  return url?.startsWith('/oauth/') === true && method?.includes('POST') === true;
}

function oauthError(payload: unknown): string {
  const parsed = container.parse(JSON.parse(String(payload)));
  const [first] = parsed.status.errors;
  const { reason = '', cause, details = '' } = first ?? {};
  return JSON.stringify({
    error: cause ?? CODES[reason as Reason] ?? 'invalid_request',
    error_description: described(details),
  });
}

/** RFC 6749 §5.2 allows printable ASCII without quote and backslash. */
function described(details: string): string {
  return details.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, '?');
}
