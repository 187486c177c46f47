import type { IncomingMessage } from 'node:http';
import { ApiError } from '../status/api-error.js';

/** Injection token of the VersionRouter. */
export const VERSION_ROUTER = Symbol('VersionRouter');

/** What a URL asks of a product: a major, a minor of it, or one exact version (ruling 20). */
export interface VersionedTarget {
  readonly productId: string;
  readonly major: number;
  readonly minor?: number;
  readonly patch?: number;
}

/** A URL under a product: where it is routed to, and what it asks for; no target = its version segment is none. */
export interface RoutedUrl {
  /** Path with the major as its only version component, and the query as it came. */
  readonly url: string;
  readonly target?: VersionedTarget;
}

/** Takes the version out of a request's URL before it is routed; undefined = the URL is not under a product. Throws nothing. */
export interface VersionRouter {
  route(url: string): RoutedUrl | undefined;
}

/** The version that answers a request, decided once the caller is known. */
export interface ServedVersion {
  readonly productId: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** beta | live | deprecated. */
  readonly state: string;
  /** As it is written: `v1.1`. */
  readonly label: string;
}

/** A request as Node gives it, with what its URL asks for once it is routed. */
export type RoutedMessage = IncomingMessage & { routed?: RoutedUrl | undefined };

/** The answer to a version that does not exist, and to one that the caller may not know of: the same for both (ruling 14). */
export function noSuchVersion(): ApiError {
  return ApiError.of('resource_failure', 'There is no such path or version. See /openapi.json for what exists.');
}
