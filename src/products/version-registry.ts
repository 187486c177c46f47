import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { CONFIG_FOLDER } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { betaApplications, productVersions, subscriptions } from '../database/schema.js';
import type { RoutedUrl, VersionRouter } from '../http/version-router.js';
import { type ProductFacts, productFacts, type VersionRows } from './product-facts.js';
import { type ProductFile, readProductFile } from './product-file.js';
import { routeUrl } from './route-url.js';

/**
 * Versions and their audiences as requests see them: a snapshot in memory, read anew every `refreshMs`, so that what ops change holds in
 * every gateway soon and no request asks the database. While the database is away the last snapshot serves.
 */
@Injectable()
export class VersionRegistry implements VersionRouter, OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #file: ProductFile;
  #products: readonly ProductFacts[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isBehind = false;
  #isOver = false;

  constructor(
    @Inject(CONFIG_FOLDER) folder: string,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#file = readProductFile(folder);
  }

  onApplicationBootstrap(): void {
    this.#schedule();
  }

  /** Before the database is closed. */
  beforeApplicationShutdown(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  route(url: string): RoutedUrl | undefined {
    return routeUrl(url, this.#products);
  }

  /** Undefined for an id that config/products.yaml lacks. */
  product(id: string): ProductFacts | undefined {
    return this.#products.find((product) => product.id === id);
  }

  /** Reads the snapshot now. Rejects with the driver's error when the database is away: the last one then stays. */
  async refresh(): Promise<void> {
    const [rows] = await this.database.rows<VersionRows>(READ);
    if (rows) this.#products = productFacts(this.#file.products, rows);
  }

  /** The next read begins so long after the last has ended: a slow database is not asked twice at once. */
  #schedule(): void {
    if (this.#isOver) return;
    this.#timer = setTimeout(async () => {
      try {
        await this.refresh();
        this.#isBehind = false;
      } catch (error) {
        if (!this.#isBehind && !this.#isOver)
          this.logger.warn({ err: error }, 'product versions cannot be read; the last known ones serve');
        this.#isBehind = true;
      }
      this.#schedule();
    }, this.#file.refreshMs).unref();
  }
}

/** One statement, one row: versions, selected applications, and who subscribed after the first deprecation of a product. */
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
