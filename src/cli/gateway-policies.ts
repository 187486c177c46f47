import { ApplicationsService } from '../auth/applications.service.js';
import { ClientSecrets } from '../auth/client-secrets.js';
import { PolicyUpdates } from '../auth/policy-updates.js';
import { ProductsService } from '../products/products.service.js';
import type { OpenedGateway } from './command-run.js';
import { versionsOf } from './versions-of.js';

/**
 * The products and tiers of a gateway, and what applies a changed policy to active tokens. Without a shared store, tokens in
 * the memory of a running gateway get a change when the application requests its next one.
 */
export function policiesOf({ folder, config, keys, database, store }: OpenedGateway): {
  readonly products: ProductsService;
  readonly policies: Pick<PolicyUpdates, 'publish'>;
} {
  const versions = versionsOf(folder, database, config);
  const products = new ProductsService(folder, database, versions, config);
  const applications = new ApplicationsService(database, new ClientSecrets(config, keys), products);
  return { products, policies: store ? new PolicyUpdates(applications, store) : { publish: async () => undefined } };
}
