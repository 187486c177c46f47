import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestContext } from '../context/request-context.js';

/** Injection token of the OriginRegistry. */
export const ORIGIN_REGISTRY = Symbol('OriginRegistry');

/** Knows the web origins that applications have registered. */
export interface OriginRegistry {
  /** Whether an active application of this environment has the origin. Never rejects. */
  isRegistered(origin: string): boolean | Promise<boolean>;
}

/** Request headers that pages of other origins may send: what the API reads, but for those that browsers always allow. */
export const REQUEST_HEADERS_ALLOWED = [
  ...['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'Cache-Control', 'Prefer'],
  ...['X-Request-Id', 'X-Sandbox-Scenario', 'client_id', 'traceparent'],
];

/** Headers of answers that pages of other origins may read, but for those that browsers always show. */
export const ANSWER_HEADERS_EXPOSED = [
  ...['X-Request-Id', 'X-Trace-Id', 'X-Api-Version', 'X-Suppliers-Skipped', 'X-Sandbox-Applied', 'X-Sandbox-Clock'],
  ...['RateLimit', 'RateLimit-Policy', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
  ...['Retry-After', 'ETag', 'Location', 'Link', 'Deprecation', 'Sunset', 'Age', 'Allow', 'WWW-Authenticate'],
  ...['Idempotent-Replayed', 'Idempotent-Retry', 'Preference-Applied'],
];

/** How long a browser may skip the preflight of a page that it asked about. */
const MAX_AGE_SECONDS = 600;

const EXPOSED = ANSWER_HEADERS_EXPOSED.join(', ');
const ALLOWED = REQUEST_HEADERS_ALLOWED.join(', ');

/**
 * Adds the headers of a preflight, in which browsers send no token: the page may go on if its origin is one of any active
 * application. Whether it may read the answer is decided by the application of its token. Other OPTIONS get none.
 */
export async function answerPreflight(
  { headers: { origin, 'access-control-request-method': method } }: FastifyRequest,
  reply: FastifyReply,
  methods: string,
  registry: OriginRegistry,
): Promise<void> {
  if (origin === undefined || method === undefined) return;
  reply.header('vary', 'Origin, Access-Control-Request-Method');
  if (!(await registry.isRegistered(origin))) return;
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': ALLOWED,
    'access-control-max-age': MAX_AGE_SECONDS,
  });
}

/**
 * Lets a page read the answer if its origin is one of the application of the token. Call it after the answer's own headers
 * were set. Answers of applications without origins stay as they are.
 */
export function allowPage({ allowedOrigins }: RequestContext, reply: FastifyReply): void {
  if (allowedOrigins === undefined) return;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Origin' : `${vary}, Origin`);
  const { origin } = reply.request.headers;
  if (origin === undefined || !allowedOrigins.includes(origin)) return;
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
}
