import type { OwnApplication } from '../../auth/own-applications.js';
import type { ProductFacts, VersionFacts } from '../../products/product-facts.js';

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
  own: readonly Pick<OwnApplication, 'id'>[],
): readonly VisibleProduct[] {
  return products.flatMap(({ name, facts }) => {
    const versions = facts?.versions.filter((version) => isVisible(version, own)) ?? [];
    return facts && versions.length > 0 ? [{ facts, name, versions }] : [];
  });
}

function isVisible({ state, betaApplications }: VersionFacts, own: readonly Pick<OwnApplication, 'id'>[]): boolean {
  return state === 'live' || state === 'deprecated' || (state === 'beta' && own.some(({ id }) => betaApplications.has(id)));
}
