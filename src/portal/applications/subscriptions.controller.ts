import { Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Subscriptions } from '../../auth/subscriptions.js';
import type { Answer } from '../../http/answer.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { ApplicationDesk } from './application-desk.js';
import { carryOut } from './carry-out.js';

/** Subscribing an application to products, and leaving them (spec §1.2). */
@Pages('applications/:id/subscriptions/:product')
@SignedIn()
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly desk: ApplicationDesk,
  ) {}

  @Submit('')
  async subscribe(@Req() request: FastifyRequest, @Param('id') id: string, @Param('product') product: string): Promise<Answer> {
    await this.desk.find(request, id);
    const subscribe = async (): Promise<Answer> => {
      await this.subscriptions.subscribe(id, product, visitorOf(request).accountId);
      return seeOther(`/applications/${id}?notice=subscribed`);
    };
    return await carryOut({}, subscribe, (state) => this.desk.show(request, id, { state }));
  }

  @Submit('end')
  async unsubscribe(@Req() request: FastifyRequest, @Param('id') id: string, @Param('product') product: string): Promise<Answer> {
    await this.desk.find(request, id);
    await this.subscriptions.unsubscribe(id, product, visitorOf(request).accountId);
    return seeOther(`/applications/${id}?notice=unsubscribed`);
  }
}
