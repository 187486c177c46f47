import type { RoutedUrl } from '../http/version-router.js';
import { parseVersion, type VersionWish } from './version.js';

/** What of a product routing needs. */
export interface RoutedProduct {
  readonly id: string;
  readonly path: string;
  readonly newestLiveMajor?: number;
  readonly openMajors: ReadonlySet<number>;
}

// The form of RFC 9112 §3.2.2, which the router below takes as well.
const ABSOLUTE_FORM = /^https?:\/\/.*?\//i;
const VERSION_LIKE = /^v\d/i;

/**
 * Replaces the version segment of a URL by `v<major>`, or puts that in where there is none (ruling 20); undefined = not under a product.
 * Without target: no such version can exist. A major that nobody may call is routed as the newest Live one, so that only the product guard,
 * which knows the caller, tells it from one that does not exist. Pure; nothing is decoded: what is percent-encoded is not the path of a product.
 */
export function routeUrl(url: string, products: readonly RoutedProduct[]): RoutedUrl | undefined {
  const origin = url.startsWith('/') ? url : url.replace(ABSOLUTE_FORM, '/');
  for (const product of products) {
    if (origin.startsWith(product.path) && segmentEnd(origin, product.path.length) === product.path.length)
      return routed(origin, product);
  }
  return isDisguised(origin, products) ? { url } : undefined;
}

/** The router decodes what stands here percent-encoded: a path that becomes one of a product only by that is none. */
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
  const wish = isVersioned ? wishOf(segment, url, end) : unversioned(segment, url[end], newestLiveMajor);
  if (!wish) return { url };
  const major = product.openMajors.has(wish.major) ? wish.major : newestLiveMajor;
  if (major === undefined) return { url };
  return {
    url: `${path}/v${major}${url.slice(isVersioned ? end : path.length)}`,
    target: { productId: product.id, ...wish },
  };
}

/** A second version behind the first is no resource of ours: `/v1/v1`. */
function wishOf(segment: string, url: string, end: number): VersionWish | undefined {
  return VERSION_LIKE.test(url.slice(end + 1, end + 3)) ? undefined : parseVersion(segment);
}

function unversioned(
  segment: string,
  next: string | undefined,
  newestLiveMajor: number | undefined,
): VersionWish | undefined {
  return newestLiveMajor === undefined || (segment === '' && next === '/') ? undefined : { major: newestLiveMajor };
}

/** Index behind the segment that begins at `from`. */
function segmentEnd(url: string, from: number): number {
  for (let i = from; i < url.length; i += 1) {
    const code = url.charCodeAt(i);
    if (code === 0x2f || code === 0x3f) return i;
  }
  return Math.max(url.length, from);
}
