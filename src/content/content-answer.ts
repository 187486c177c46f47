import type { Language } from '../config/languages.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { cacheable } from '../http/entity-tag.js';
import { LANGUAGE_HEADER } from '../http/language.decorator.js';
import { headerParameter, REQUEST_HEADERS } from '../http/operation-parts.js';
import { statusContainer } from '../status/status-container.js';

/** Headers that the operations on content read. */
export const CONTENT_HEADERS = [
  ...REQUEST_HEADERS,
  LANGUAGE_HEADER,
  headerParameter('If-None-Match', 'The ETag of an earlier response.'),
];

/** The description of a 304. */
export const NOT_MODIFIED = ['Not modified: the content still matches If-None-Match.', null] as const;

/** What a response with content depends on. */
interface Terms {
  readonly language: Language;
  readonly ifNoneMatch: string | undefined;
  readonly maxAgeSeconds: number;
}

/** A response with content in a language. Each language has its own ETag, so that caches can't mix them up. */
export function contentAnswer(
  content: object,
  { language, ...rules }: Terms,
  { startedAt }: Pick<RequestContext, 'startedAt'>,
): Answer {
  const status = statusContainer(startedAt, 200, []);
  const answer = Answer.json(200, { status, ...content }, { 'content-language': language });
  return cacheable(answer, [language, content], { ...rules, vary: 'authorization, accept-language' });
}
