import type { IncomingMessage } from 'node:http';
import { ApiError } from '../status/api-error.js';

/** Injection token of the VersionRouter. */
export const VERSION_ROUTER = Symbol('VersionRouter');

/** The version of a product that a URL requests: a major, a minor or an exact version (ruling 20). */
export interface VersionedTarget {
  readonly productId: string;
  readonly major: number;
  readonly minor?: number;
  readonly patch?: number;
}

/** A URL under a product: its route and requested version; no target if its version segment is invalid. */
export interface RoutedUrl {
  /** Path with the major as its only version component, and the unchanged query. */
  readonly url: string;
  readonly target?: VersionedTarget;
}

/**
 * Extracts the version from a request's URL before routing; undefined if the URL is not under a product. Never throws.
 */
export interface VersionRouter {
  route(url: string): RoutedUrl | undefined;
}

/** The version that answers a request, chosen once the caller is known. */
export interface ServedVersion {
  readonly productId: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
  /** beta | live | deprecated. */
  readonly state: string;
  /** The label, such as `v1.1`. */
  readonly label: string;
}

/** A Node request; `routed` is set by routing. */
export type RoutedMessage = IncomingMessage & { routed?: RoutedUrl | undefined };

/** The error for a version that doesn't exist, and for one hidden from the caller: both get the same (ruling 14). */
export function noSuchVersion(): ApiError {
  return ApiError.of(
    'resource_failure',
    'There is no such path or version. See /openapi.json for the available paths.',
  );
}
