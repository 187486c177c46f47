import { Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Subscriptions } from '../../auth/subscriptions.js';
import type { Answer } from '../../http/answer.js';
import { ProductList } from '../products/product-list.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { ApplicationHandlers } from './application-handlers.js';
import { carryOut } from './carry-out.js';

/** Subscribes an application to products and unsubscribes it (spec §1.2). */
@Pages('applications/:id/subscriptions')
@SignedIn()
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly products: ProductList,
    private readonly handlers: ApplicationHandlers,
  ) {}

  /** Subscribes to every product that the application may subscribe to. */
  @Submit('')
  async subscribeToAll(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const application = await this.handlers.find(request, id);
    return await this.#subscribe(request, id, this.products.openTo(application), 'subscribed_all');
  }

  @Submit(':product')
  async subscribe(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('product') product: string,
  ): Promise<Answer> {
    await this.handlers.find(request, id);
    return await this.#subscribe(request, id, [product], 'subscribed');
  }

  @Submit(':product/end')
  async unsubscribe(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('product') product: string,
  ): Promise<Answer> {
    await this.handlers.find(request, id);
    await this.subscriptions.unsubscribe(id, product, visitorOf(request));
    return seeOther(`/applications/${id}?notice=unsubscribed`);
  }

  async #subscribe(request: FastifyRequest, id: string, products: readonly string[], notice: string): Promise<Answer> {
    const subscribe = async (): Promise<Answer> => {
      await this.subscriptions.subscribe(id, products, visitorOf(request));
      return seeOther(`/applications/${id}?notice=${notice}`);
    };
    return await carryOut({}, subscribe, (state) => this.handlers.show(request, id, { state }));
  }
}
