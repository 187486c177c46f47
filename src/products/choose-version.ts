import type { ProductFacts, VersionFacts } from './product-facts.js';
import { fulfils, type RequestedVersion } from './version.js';

/** The caller. */
export interface VersionCaller {
  readonly applicationId: string;
  readonly environment: 'sandbox' | 'production';
  /** Ids of the caller's subscriptions. */
  readonly products: readonly string[];
}

/** Whether a version is retired by the time of a test clock, in epoch seconds: operators retire it at its sunset. */
function isSunset({ state, sunsetAt = Number.POSITIVE_INFINITY }: VersionFacts, clockNow: number): boolean {
  return state === 'deprecated' && sunsetAt <= clockNow;
}

/** A caller's access to a version; a `hidden` version must look as if it didn't exist (ruling 14). */
export type Access = 'served' | 'not_subscribed' | 'subscribed_too_late' | 'hidden';

/** The version that answers, or why none may. */
export type Choice = { readonly version: VersionFacts } | { readonly refused: Exclude<Access, 'served'> };

/** Whether a version is a Beta that an application may call: in the sandbox, if it was selected (spec §3.1). */
export function isBetaFor(
  { state, betaApplications }: VersionFacts,
  { applicationId, environment }: Omit<VersionCaller, 'products'>,
): boolean {
  return state === 'beta' && environment === 'sandbox' && betaApplications.has(applicationId);
}

/**
 * Audience of each state (spec §3.1): Beta in the sandbox for selected applications, Live for subscribers, Deprecated
 * for earlier ones.
 */
export function accessOf(product: ProductFacts, version: VersionFacts, caller: VersionCaller): Access {
  if (isBetaFor(version, caller)) return 'served';
  if (version.state !== 'live' && version.state !== 'deprecated') return 'hidden';
  if (!caller.products.includes(product.id)) return 'not_subscribed';
  const subscribedAt = product.lateSubscribers.get(caller.applicationId) ?? Number.NEGATIVE_INFINITY;
  const isLate = version.state === 'deprecated' && subscribedAt >= (version.deprecatedAt ?? Number.POSITIVE_INFINITY);
  return isLate ? 'subscribed_too_late' : 'served';
}

/**
 * The newest requested version that the caller may call. If there is none, the reason for the newest visible version.
 * `clockNow` is the time of the caller's test clock, in epoch seconds; undefined = real time, in which a version is
 * served until an operator retires it, whatever its sunset.
 */
export function chooseVersion(
  product: ProductFacts,
  requested: RequestedVersion,
  caller: VersionCaller,
  clockNow?: number,
): Choice {
  let refused: Exclude<Access, 'served'> = 'hidden';
  for (const version of product.versions) {
    if (!fulfils(version, requested) || (clockNow !== undefined && isSunset(version, clockNow))) continue;
    const access = accessOf(product, version, caller);
    if (access === 'served') return { version };
    if (refused === 'hidden') refused = access;
  }
  return { refused };
}
