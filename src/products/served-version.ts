import type { FastifyRequest } from 'fastify';
import type { ContextRequest } from '../http/open-request.js';
import type { ServedVersion } from '../http/version-router.js';
import type { ProductFacts, VersionFacts } from './product-facts.js';

/** The version that the product guard chose for a request. Throws on a route without a product, which is a bug. */
export function versionOf(request: FastifyRequest): ServedVersion {
  const { served } = request as ContextRequest;
  if (!served) throw new Error('the route belongs to no product');
  return served;
}

/** The facts about the served version that a request keeps. */
export function servedVersion(productId: string, { major, minor, patch, state, label }: VersionFacts): ServedVersion {
  return { productId, major, minor, patch, state, label };
}

/**
 * Headers of every answer of a version: its label and, for a deprecated one, the deprecation date (RFC 9745), the
 * sunset date if known (RFC 8594) and the same resource in the newest Live major, if any. `url` is the routed URL.
 */
export function versionHeaders(product: ProductFacts, version: VersionFacts, url: string): Record<string, string> {
  const headers: Record<string, string> = { 'x-api-version': version.label };
  if (version.state !== 'deprecated') return headers;
  if (version.deprecatedAt !== undefined) headers.deprecation = `@${Math.floor(version.deprecatedAt)}`;
  if (version.sunsetAt !== undefined) headers.sunset = new Date(version.sunsetAt * 1000).toUTCString();
  if (product.newestLiveMajor !== undefined) {
    const path = url.split('?', 1)[0] ?? '';
    const rest = path.slice(product.path.length).replace(/^\/v\d+/, '');
    headers.link = `<${product.path}/v${product.newestLiveMajor}${rest}>; rel="successor-version"`;
  }
  return headers;
}
