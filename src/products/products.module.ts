import { Global, Module } from '@nestjs/common';
import { ProductsService } from './products.service.js';

/** Products, tiers and (from the lifecycle issue on) versions. */
@Global()
@Module({ providers: [ProductsService], exports: [ProductsService] })
export class ProductsModule {}
