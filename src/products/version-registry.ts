import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG_FOLDER } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Refresher } from '../database/refresher.js';
import { betaApplications, productVersions, subscriptions } from '../database/schema.js';
import type { RoutedUrl, VersionRouter } from '../http/version-router.js';
import { type ProductFacts, productFacts, type VersionRows } from './product-facts.js';
import { type ProductFile, readProductFile } from './product-file.js';
import { routeUrl } from './route-url.js';

/**
 * Versions and their audiences for requests: a snapshot in memory that is refreshed every `refreshMs`, so that changes
 * by operators soon apply on every gateway without a query per request. While the database is unavailable, the last
 * snapshot is used.
 */
@Injectable()
export class VersionRegistry implements VersionRouter, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #file: ProductFile;
  #products: readonly ProductFacts[] = [];
  readonly #refresher: Refresher;

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#file = readProductFile(folder);
    this.#refresher = new Refresher(() => this.refresh(), this.#file.refreshMs, 'product versions', logger);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#refresher.start();
  }

  /** Call it before closing the database. */
  beforeApplicationShutdown(): void {
    this.#refresher.stop();
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
    const [rows] = await this.database.rows<VersionRows>(READ);
    if (rows) this.#products = productFacts(this.#file.products, rows);
  }
}

/**
 * Returns one row with versions, selected applications and the applications that subscribed after a product's first
 * deprecation.
 */
const READ = sql`
  select
    (select coalesce(json_agg(json_build_object(
        'productId', v.product_id, 'major', v.major, 'minor', v.minor, 'patch', v.patch, 'state', v.state,
        'deprecatedAt', extract(epoch from v.deprecated_at), 'sunsetAt', extract(epoch from v.sunset_at))), '[]')
      from ${productVersions} v) as versions,
    (select coalesce(json_agg(json_build_object(
        'productId', b.product_id, 'major', b.major, 'minor', b.minor, 'applicationId', b.application_id)), '[]')
      from ${betaApplications} b) as beta,
    (select coalesce(json_agg(json_build_object(
        'productId', s.product_id, 'applicationId', s.application_id, 'subscribedAt', extract(epoch from s.created_at))), '[]')
      from ${subscriptions} s
      join (select product_id, min(deprecated_at) as since from ${productVersions} where state = 'deprecated' group by product_id) d
        on d.product_id = s.product_id and s.created_at >= d.since) as late`;
