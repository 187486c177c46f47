import { Injectable } from '@nestjs/common';
import type { OwnApplication } from '../../auth/own-applications.js';
import { ProductsService } from '../../products/products.service.js';
import { VersionRegistry } from '../../products/version-registry.js';
import { isOpenTo, type VisibleProduct, visibleProducts } from './visible-products.js';

/** The products shown on pages. */
@Injectable()
export class ProductList {
  constructor(
    private readonly products: ProductsService,
    private readonly versions: VersionRegistry,
  ) {}

  /** The products that the owner of these applications may see. */
  for(own: readonly Pick<OwnApplication, 'id' | 'environment'>[]): readonly VisibleProduct[] {
    return visibleProducts(
      this.products.seeds.map(({ id, name }) => ({ name, facts: this.versions.product(id) })),
      own,
    );
  }

  /** Ids of the products that an application may subscribe to and isn't subscribed to yet. */
  openTo(application: Pick<OwnApplication, 'id' | 'environment' | 'products'>): readonly string[] {
    return this.for([application])
      .map(({ facts }) => facts)
      .filter((facts) => isOpenTo(application, facts))
      .map(({ id }) => id);
  }
}
