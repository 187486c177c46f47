import type { ProductFacts, VersionFacts } from './product-facts.js';
import { fulfils, type VersionWish } from './version.js';

/** Who asks. */
export interface VersionCaller {
  readonly applicationId: string;
  readonly environment: 'sandbox' | 'production';
  /** Ids of the products it has subscribed to. */
  readonly products: readonly string[];
}

/** What a caller may do with a version; `hidden` = not even know that it exists (ruling 14). */
export type Access = 'served' | 'not_subscribed' | 'subscribed_too_late' | 'hidden';

/** The version that answers, or why none does. */
export type Choice = { readonly version: VersionFacts } | { readonly refused: Exclude<Access, 'served'> };

/** Whether a version is a Beta that an application may call: in the sandbox, if it was selected (spec §3.1). */
export function isBetaFor(
  { state, betaApplications }: VersionFacts,
  { applicationId, environment }: Omit<VersionCaller, 'products'>,
): boolean {
  return state === 'beta' && environment === 'sandbox' && betaApplications.has(applicationId);
}

/** Audience of each state (spec §3.1): Beta in the sandbox for selected applications, Live for subscribers, Deprecated for earlier ones. */
export function accessOf(product: ProductFacts, version: VersionFacts, caller: VersionCaller): Access {
  if (isBetaFor(version, caller)) return 'served';
  if (version.state !== 'live' && version.state !== 'deprecated') return 'hidden';
  if (!caller.products.includes(product.id)) return 'not_subscribed';
  const subscribedAt = product.lateSubscribers.get(caller.applicationId) ?? Number.NEGATIVE_INFINITY;
  const isLate = version.state === 'deprecated' && subscribedAt >= (version.deprecatedAt ?? Number.POSITIVE_INFINITY);
  return isLate ? 'subscribed_too_late' : 'served';
}

/** The newest version of a wish that the caller may see. Where it may call none, the reason of the newest that is no secret counts. */
export function chooseVersion(product: ProductFacts, wish: VersionWish, caller: VersionCaller): Choice {
  let refused: Exclude<Access, 'served'> = 'hidden';
  for (const version of product.versions) {
    if (!fulfils(version, wish)) continue;
    const access = accessOf(product, version, caller);
    if (access === 'served') return { version };
    if (refused === 'hidden') refused = access;
  }
  return { refused };
}
