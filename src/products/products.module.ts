import { Global, Module } from '@nestjs/common';
import { VERSION_ROUTER } from '../http/version-router.js';
import { ProductsService } from './products.service.js';
import { VersionRegistry } from './version-registry.js';

/** Products, their versions, and tiers. */
@Global()
@Module({
  providers: [ProductsService, VersionRegistry, { provide: VERSION_ROUTER, useExisting: VersionRegistry }],
  exports: [ProductsService, VersionRegistry],
})
export class ProductsModule {}
