import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OwnApplications } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { ProductList } from './product-list.js';
import { productsPage } from './products-page.js';

/** The public list of products. */
@Pages('products')
export class ProductsPagesController {
  constructor(
    private readonly products: ProductList,
    private readonly own: OwnApplications,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorIf(request);
    const own = visitor ? await this.own.list(visitor.accountId) : [];
    return productsPage(visitor, this.products.for(own), own);
  }
}
