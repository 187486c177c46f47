import { createHash, createHmac, type KeyObject } from 'node:crypto';
import type { SentRequest } from '../http/request-recorder.js';

/**
 * What says whether two sandbox requests of an application were alike, without saying what was in them: digests of 12
 * characters, different for each application. Absent = the request has no such part.
 */
export interface RequestMarks {
  /** The token that was sent or issued. */
  readonly token?: string;
  /** Path, query and body. */
  readonly same?: string;
  /** The Idempotency-Key. */
  readonly key?: string;
  /** The reservation or search that the request is about: `subjectMark` of its id. */
  readonly subject?: string;
  /** It names a page by a cursor. */
  readonly paged?: true;
  /** Retry-After of the answer, in seconds. */
  readonly wait?: number;
  /** Idempotent-Retry of the answer. */
  readonly retry?: string;
}

const LENGTH = 12;

/**
 * The marks of a request. What callers choose is in an HMAC with `key`, because a body may contain a card number, which
 * must not be recoverable by trying all. OAuth operations have only the mark of the token: their bodies hold secrets.
 */
export function requestMarks(
  applicationId: string,
  { url, body, key: idempotencyKey, tokenDigest, subject, retryAfterSeconds, retryWith }: SentRequest,
  key: KeyObject,
): RequestMarks {
  const hidden = (kind: string, text: string): string =>
    createHmac('sha256', key)
      .update(JSON.stringify([applicationId, kind, text]))
      .digest('base64url')
      .slice(0, LENGTH);
  const token = tokenDigest === undefined ? {} : { token: hidden('token', tokenDigest) };
  if (url.startsWith('/oauth/')) return token;
  return {
    ...token,
    same: hidden('request', `${url}\n${typeof body === 'object' ? JSON.stringify(body) : ''}`),
    ...(idempotencyKey === undefined ? {} : { key: hidden('key', idempotencyKey) }),
    ...(subject === undefined ? {} : { subject: subjectMark(applicationId, subject) }),
    ...(/[?&]cursor=/.test(url) ? { paged: true } : {}),
    ...(retryAfterSeconds === undefined ? {} : { wait: retryAfterSeconds }),
    ...(retryWith === undefined ? {} : { retry: retryWith }),
  };
}

/** The mark of a reservation or search. Their ids are random, so a digest without a key hides them, even from a gateway with another key. */
export function subjectMark(applicationId: string, id: string): string {
  return createHash('sha256')
    .update(JSON.stringify([applicationId, id]))
    .digest('base64url')
    .slice(0, LENGTH);
}
