import { Inject, Injectable } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import { CONFIG, CONFIG_FOLDER, type Config } from '../config/config.module.js';
import { OperatorReads } from '../database/operator-reads.js';
import { betaApplications, productVersions, subscriptions } from '../database/schema.js';
import type { RoutedUrl, VersionRouter } from '../http/version-router.js';
import { isOwn } from './own-versions.js';
import { type ProductFacts, productFacts, type VersionRows } from './product-facts.js';
import { type ProductFile, readProductFile } from './product-file.js';
import { routeUrl } from './route-url.js';

/**
 * Versions and their audiences for requests: a snapshot in memory that is read with everything else that operators set, so
 * that their changes soon apply on every gateway without a query per request. While the database is unavailable, the last
 * snapshot is used.
 */
@Injectable()
export class VersionRegistry implements VersionRouter {
  readonly #file: ProductFile;
  #products: readonly ProductFacts[] = [];

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    private readonly reads: OperatorReads,
    @Inject(CONFIG) { environment }: Pick<Config, 'environment'>,
  ) {
    this.#file = readProductFile(folder);
    const apply = ([rows]: readonly VersionRows[]): void => {
      if (rows) this.#products = productFacts(this.#file.products, rows);
    };
    reads.add({ statement: readOf(environment), apply });
  }

  route(url: string): RoutedUrl | undefined {
    return routeUrl(url, this.#products);
  }

  /** Undefined if config/products.yaml lacks the id. */
  product(id: string): ProductFacts | undefined {
    return this.#products.find((product) => product.id === id);
  }

  /**
   * Reads the snapshot now. Rejects with the driver's error if the database is unavailable, and keeps the last
   * snapshot.
   */
  async refresh(): Promise<void> {
    await this.reads.refresh();
  }
}

/**
 * Returns one row with versions, selected applications and the applications that subscribed after a product's first
 * deprecation.
 */
const readOf = (environment: Config['environment']) => sql`
  select
    (select coalesce(json_agg(json_build_object(
        'productId', v.product_id, 'major', v.major, 'minor', v.minor, 'patch', v.patch, 'state', v.state,
        'deprecatedAt', extract(epoch from v.deprecated_at), 'sunsetAt', extract(epoch from v.sunset_at))), '[]')
      from ${productVersions} v where ${isOwn(environment)}) as versions,
    (select coalesce(json_agg(json_build_object(
        'productId', b.product_id, 'major', b.major, 'minor', b.minor, 'applicationId', b.application_id)), '[]')
      from ${betaApplications} b) as beta,
    (select coalesce(json_agg(json_build_object(
        'productId', s.product_id, 'applicationId', s.application_id, 'subscribedAt', extract(epoch from s.created_at))), '[]')
      from ${subscriptions} s
      join (select product_id, min(deprecated_at) as since from ${productVersions} where state = 'deprecated' and ${isOwn(environment)} group by product_id) d
        on d.product_id = s.product_id and s.created_at >= d.since) as late`;
