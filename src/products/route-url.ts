import type { RoutedUrl } from '../http/version-router.js';
import { parseVersion, type RequestedVersion } from './version.js';

/** The facts about a product that routing needs. */
export interface RoutedProduct {
  readonly id: string;
  readonly path: string;
  readonly newestLiveMajor?: number;
  readonly openMajors: ReadonlySet<number>;
}

// The absolute form of RFC 9112 §3.2.2, which the router accepts as well.
const ABSOLUTE_FORM = /^https?:\/\/.*?\//i;
const VERSION_LIKE = /^v\d/i;

/**
 * Replaces the version segment of a URL with `v<major>`, or inserts it if there is none (ruling 20). Undefined if the
 * URL is not under a product; no target if no such version can exist. A major without callers is routed to the newest
 * Live one, so that only the product guard, which knows the caller, distinguishes it from an unknown one. Doesn't
 * decode: a percent-encoded path is not the path of a product.
 */
export function routeUrl(url: string, products: readonly RoutedProduct[]): RoutedUrl | undefined {
  const origin = url.startsWith('/') ? url : url.replace(ABSOLUTE_FORM, '/');
  for (const product of products) {
    if (origin.startsWith(product.path) && segmentEnd(origin, product.path.length) === product.path.length)
      return routed(origin, product);
  }
  return isDisguised(origin, products) ? { url } : undefined;
}

/** Whether a path matches a product only after the router decodes it; such a path is rejected. */
function isDisguised(url: string, products: readonly RoutedProduct[]): boolean {
  const path = url.split('?', 1)[0] ?? '';
  if (!path.includes('%')) return false;
  const decoded = path.replace(/%[\da-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  return products.some(
    (product) => decoded.startsWith(product.path) && segmentEnd(decoded, product.path.length) === product.path.length,
  );
}

function routed(url: string, product: RoutedProduct): RoutedUrl {
  const { path, newestLiveMajor } = product;
  const end = segmentEnd(url, path.length + 1);
  const segment = url.slice(path.length + 1, end);
  const isVersioned = VERSION_LIKE.test(segment);
  const requested = isVersioned ? requestedVersion(segment, url, end) : unversioned(segment, url[end], newestLiveMajor);
  if (!requested) return { url };
  const major = product.openMajors.has(requested.major) ? requested.major : newestLiveMajor;
  if (major === undefined) return { url };
  return {
    url: `${path}/v${major}${url.slice(isVersioned ? end : path.length)}`,
    target: { productId: product.id, ...requested },
  };
}

/** A second version after the first, as in `/v1/v1`, is not a resource. */
function requestedVersion(segment: string, url: string, end: number): RequestedVersion | undefined {
  return VERSION_LIKE.test(url.slice(end + 1, end + 3)) ? undefined : parseVersion(segment);
}

function unversioned(
  segment: string,
  next: string | undefined,
  newestLiveMajor: number | undefined,
): RequestedVersion | undefined {
  return newestLiveMajor === undefined || (segment === '' && next === '/') ? undefined : { major: newestLiveMajor };
}

/** Index after the segment that begins at `from`. */
function segmentEnd(url: string, from: number): number {
  for (let i = from; i < url.length; i += 1) {
    const code = url.charCodeAt(i);
    if (code === 0x2f || code === 0x3f) return i;
  }
  return Math.max(url.length, from);
}
