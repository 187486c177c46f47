import type { OwnApplication } from '../../auth/own-applications.js';
import { maySubscribe } from '../../auth/subscriptions.js';
import { isBetaFor } from '../../products/choose-version.js';
import type { ProductFacts, VersionFacts } from '../../products/product-facts.js';

/** What of an application of the person is needed. */
type Owned = Pick<OwnApplication, 'id' | 'environment'>;

/** A product as a person may see it (spec §3.1): never without a version that somebody may call. */
export interface VisibleProduct {
  readonly facts: ProductFacts;
  readonly name: string;
  /** Live and deprecated ones, and Betas that one of the person's applications is selected for; the newest first. */
  readonly versions: readonly VersionFacts[];
}

/** `own`: the applications of the person; empty for somebody who is not logged in. In the order of the configuration. */
export function visibleProducts(
  products: readonly { readonly name: string; readonly facts: ProductFacts | undefined }[],
  own: readonly Owned[],
): readonly VisibleProduct[] {
  return products.flatMap(({ name, facts }) => {
    const versions = facts?.versions.filter((version) => isVisible(version, own)) ?? [];
    return facts && versions.length > 0 ? [{ facts, name, versions }] : [];
  });
}

/** Whether an application may subscribe to a product and has not yet. */
export function isOpenTo({ id, environment, products }: OwnApplication, facts: ProductFacts): boolean {
  return !products.includes(facts.id) && maySubscribe(facts, { applicationId: id, environment });
}

function isVisible(version: VersionFacts, own: readonly Owned[]): boolean {
  const { state } = version;
  return (
    state === 'live' ||
    state === 'deprecated' ||
    own.some(({ id, environment }) => isBetaFor(version, { applicationId: id, environment }))
  );
}
