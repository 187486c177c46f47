import { Injectable } from '@nestjs/common';
import type { OwnApplication } from '../../auth/own-applications.js';
import { ProductsService } from '../../products/products.service.js';
import { VersionRegistry } from '../../products/version-registry.js';
import { type VisibleProduct, visibleProducts } from './visible-products.js';

/** The products as pages show them. */
@Injectable()
export class ProductList {
  constructor(
    private readonly products: ProductsService,
    private readonly versions: VersionRegistry,
  ) {}

  /** What the owner of these applications may see. */
  for(own: readonly Pick<OwnApplication, 'id'>[]): readonly VisibleProduct[] {
    return visibleProducts(
      this.products.seeds.map(({ id, name }) => ({ name, facts: this.versions.product(id) })),
      own,
    );
  }
}
