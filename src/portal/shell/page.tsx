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

/** A rendered page. */
export type Page = Answer & { readonly body: string };

/** Renders a page. The renderer escapes everything in `content`. */
export function page(facts: PageFacts, content: ComponentChildren): Page {
  const vnode: VNode = <Layout facts={facts}>{content}</Layout>;
  return new Answer(facts.status ?? 200, `<!doctype html>${renderToString(vnode)}`, {
    ...HEADERS,
    ...facts.headers,
  }) as Page;
}

/** Redirects (303) after a form was processed, so that reloading the page doesn't send the form again. */
export function seeOther(location: string, headers: Answer['headers'] = {}): Answer {
  return new Answer(303, '', { ...headers, location, 'cache-control': 'no-store', 'content-type': 'text/plain' });
}
