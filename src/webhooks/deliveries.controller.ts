import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import type { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf, REQUEST_HEADERS } from '../http/operation-parts.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { webhookAnswer } from './answers.js';
import { EndpointsService } from './endpoints.service.js';
import {
  type DeliveriesQuery,
  deliveriesQuery,
  type NoQuery,
  noQuery,
  type ReplayBody,
  replayBody,
  type TestBody,
  testBody,
} from './webhooks.schema.js';
import { deliveriesAnswer, deliveryView, queuedAnswer } from './webhooks.wire.js';

const ONE = 'v1/endpoints/:endpoint_id';
const headers = REQUEST_HEADERS;
const errors = errorsOf(400, 401, 403, 404, 408, 429, 500, 503);
const tag = 'Webhooks';

/** What was and will be sent to an endpoint (decision 0056). */
@Controller('cars/webhooks')
@Product('car_webhooks')
export class DeliveriesController {
  constructor(private readonly endpoints: EndpointsService) {}

  @Get(`${ONE}/deliveries`)
  @Operation({
    id: 'listWebhookDeliveries',
    tag,
    summary: 'List the events of an endpoint',
    description: 'Events of the last 14 days with their last attempt, newest first.',
    query: deliveriesQuery,
    headers,
    answers: { 200: ['The events.', deliveriesAnswer], ...errors },
  })
  async list(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(deliveriesQuery)) query: DeliveriesQuery,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const rows = await this.endpoints.deliveries(id, query, context);
    return webhookAnswer(200, { deliveries: rows.map(deliveryView) }, context);
  }

  @Post(`${ONE}/test`)
  @Operation({
    id: 'testWebhookEndpoint',
    tag,
    summary: 'Send a test event',
    description: 'Sends an event of type webhook.test to the endpoint, whatever types it chose. The body is {}.',
    body: testBody,
    headers,
    answers: { 202: ['Queued.', queuedAnswer], ...errors },
  })
  async test(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Body(new SchemaPipe<TestBody>(testBody, 'body')) _body: TestBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return webhookAnswer(202, { queued: 1, event_id: await this.endpoints.test(id, context) }, context);
  }

  @Post(`${ONE}/replay`)
  @Operation({
    id: 'replayWebhookEvents',
    tag,
    summary: 'Send events again',
    description:
      'Sends one event, or those since an instant: at most 1,000 per call, oldest first. They have the same ids as before.',
    body: replayBody,
    headers,
    answers: { 202: ['Queued.', queuedAnswer], ...errors },
  })
  async replay(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Body(new SchemaPipe<ReplayBody>(replayBody, 'body')) body: ReplayBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return webhookAnswer(202, { queued: await this.endpoints.replay(id, body, context) }, context);
  }
}
