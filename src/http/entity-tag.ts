import { createHash } from 'node:crypto';
import { Answer } from './answer.js';

/** How long a response may be cached, and whether the caller has it. */
export interface CacheRules {
  readonly maxAgeSeconds: number;
  /** Names of the request headers that the response depends on, separated by commas. */
  readonly vary: string;
  /** The caller's If-None-Match. */
  readonly ifNoneMatch: string | undefined;
}

/**
 * Adds the headers of a private cache to an answer, with a strong ETag of `content`, which is what can change in the body. 304 without a body
 * if the caller has it.
 */
export function cacheable(answer: Answer, content: unknown, { maxAgeSeconds, vary, ifNoneMatch }: CacheRules): Answer {
  const etag = `"${createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 27)}"`;
  const headers = { etag, 'cache-control': `private, max-age=${maxAgeSeconds}`, vary };
  return matches(ifNoneMatch, etag)
    ? new Answer(304, '', { ...answer.headers, ...headers })
    : Answer.of(answer, headers);
}

function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*') ?? false;
}
