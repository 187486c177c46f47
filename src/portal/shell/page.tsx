import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Answer } from '../../http/answer.js';
import { Layout, type PageFacts } from './layout.js';

/** Strict Content-Security-Policy: no inline scripts or styles, no external resources, no framing. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
};

/** A page. It is rendered when its body is read first. */
export type Page = Answer & { readonly body: string };

/** The page with this content, in which the renderer escapes everything. Reading its body throws what a component throws. */
export function page(facts: PageFacts, content: ComponentChildren): Page {
  const vnode: VNode = <Layout facts={facts}>{content}</Layout>;
  let text: string | undefined;
  const body = (): string => (text ??= `<!doctype html>${renderToString(vnode)}`);
  const answer = new Answer(facts.status ?? 200, '', { ...HEADERS, ...facts.headers });
  return Object.defineProperty(answer, 'body', { get: body, enumerable: true }) as Page;
}

/** Redirects (303) after a form was processed, so that reloading the page doesn't send the form again. */
export function seeOther(location: string, headers: Answer['headers'] = {}): Answer {
  return new Answer(303, '', { ...headers, location, 'cache-control': 'no-store', 'content-type': 'text/plain' });
}
