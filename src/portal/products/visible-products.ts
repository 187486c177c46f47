import type { OwnApplication } from '../../auth/own-applications.js';
import { maySubscribe } from '../../auth/subscriptions.js';
import { isBetaFor } from '../../products/choose-version.js';
import type { ProductFacts, VersionFacts } from '../../products/product-facts.js';

/** The needed facts of an application. */
type Owned = Pick<OwnApplication, 'id' | 'environment'>;

/** A product visible to a person (spec §3.1). It always has a version that can be called. */
export interface VisibleProduct {
  readonly facts: ProductFacts;
  readonly name: string;
  /** Live and deprecated versions, and Betas that one of the person's applications is selected for; newest first. */
  readonly versions: readonly VersionFacts[];
}

/** In the order of the configuration. `own`: the person's applications; empty for anonymous visitors. */
export function visibleProducts(
  products: readonly { readonly name: string; readonly facts: ProductFacts | undefined }[],
  own: readonly Owned[],
): readonly VisibleProduct[] {
  return products.flatMap(({ name, facts }) => {
    const versions = facts?.versions.filter((version) => isVisible(version, own)) ?? [];
    return facts && versions.length > 0 ? [{ facts, name, versions }] : [];
  });
}

/** Whether an application may subscribe to a product and isn't subscribed yet. */
export function isOpenTo(
  { id, environment, products }: Owned & Pick<OwnApplication, 'products'>,
  facts: ProductFacts,
): boolean {
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
