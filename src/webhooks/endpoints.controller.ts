import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Product } from '../auth/public.decorator.js';
import type { RequestContext } from '../context/request-context.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf, REQUEST_HEADERS } from '../http/operation-parts.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { webhookAnswer } from './answers.js';
import { EndpointsService } from './endpoints.service.js';
import {
  type ChangeEndpointBody,
  type CreateEndpointBody,
  changeEndpointBody,
  createEndpointBody,
  type NoQuery,
  noQuery,
  type RotateBody,
  rotateBody,
} from './webhooks.schema.js';
import { endpointAnswer, endpointsAnswer, endpointView, secretAnswer } from './webhooks.wire.js';

const ALL = 'v1/endpoints';
const ONE = 'v1/endpoints/:endpoint_id';
const headers = REQUEST_HEADERS;
const errors = errorsOf(400, 401, 403, 404, 408, 429, 500, 503);
const tag = 'Webhooks';

/** The endpoints of webhooks (decision 0056). */
@Controller('cars/webhooks')
@Product('car_webhooks')
export class EndpointsController {
  constructor(private readonly endpoints: EndpointsService) {}

  @Post(ALL)
  @Operation({
    id: 'createWebhookEndpoint',
    tag,
    summary: 'Add an endpoint',
    description:
      'Events of the application are sent to its URL from now on, as Standard Webhooks. At most 5 endpoints. The response has the signing secret, which is shown only once.',
    body: createEndpointBody,
    headers,
    answers: { 201: ['The endpoint with its secret.', secretAnswer], ...errors },
  })
  async create(
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Body(new SchemaPipe<CreateEndpointBody>(createEndpointBody, 'body')) body: CreateEndpointBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const { endpoint, secret } = await this.endpoints.create(body, context);
    return webhookAnswer(201, { endpoint: { ...endpointView(endpoint), secret } }, context);
  }

  @Get(ALL)
  @Operation({
    id: 'listWebhookEndpoints',
    tag,
    summary: 'List the endpoints',
    description: 'Returns the endpoints of the application without their secrets, oldest first.',
    headers,
    answers: { 200: ['The endpoints, oldest first.', endpointsAnswer], ...errors },
  })
  async list(@Query(new SchemaPipe(noQuery)) _query: NoQuery, @Context() context: RequestContext): Promise<Answer> {
    return webhookAnswer(200, { endpoints: (await this.endpoints.list(context)).map(endpointView) }, context);
  }

  @Get(ONE)
  @Operation({
    id: 'readWebhookEndpoint',
    tag,
    summary: 'Read an endpoint',
    description: 'Shows its settings and since when it has been failing.',
    headers,
    answers: { 200: ['The endpoint without its secret.', endpointAnswer], ...errors },
  })
  async read(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return webhookAnswer(200, { endpoint: endpointView(await this.endpoints.find(id, context)) }, context);
  }

  @Patch(ONE)
  @Operation({
    id: 'changeWebhookEndpoint',
    tag,
    summary: 'Change an endpoint',
    description:
      'Disabling it stops events: those that happen until it is active again are not kept for it. Setting a suspended endpoint to active sends the events that wait.',
    body: changeEndpointBody,
    headers,
    answers: { 200: ['The changed endpoint.', endpointAnswer], ...errors },
  })
  async change(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Body(new SchemaPipe<ChangeEndpointBody>(changeEndpointBody, 'body')) body: ChangeEndpointBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    return webhookAnswer(200, { endpoint: endpointView(await this.endpoints.change(id, body, context)) }, context);
  }

  @Delete(ONE)
  @Operation({
    id: 'deleteWebhookEndpoint',
    tag,
    summary: 'Delete an endpoint',
    description: 'It is deleted with the events that wait for it.',
    headers,
    answers: { 204: ['Deleted.', null], ...errors },
  })
  async remove(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    await this.endpoints.remove(id, context);
    return new Answer(204, '', { 'cache-control': 'no-store' });
  }

  @Post(`${ONE}/secret`)
  @Operation({
    id: 'rotateWebhookSecret',
    tag,
    summary: 'Replace the signing secret',
    description:
      'The response has the new secret, which is shown only once. For overlap_hours, events have a signature of the secret before as well.',
    body: rotateBody,
    headers,
    answers: { 200: ['The endpoint with its new secret.', secretAnswer], ...errors },
  })
  async rotate(
    @Param('endpoint_id') id: string,
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Body(new SchemaPipe<RotateBody>(rotateBody, 'body')) body: RotateBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const { endpoint, secret } = await this.endpoints.rotate(id, body.overlap_hours, context);
    return webhookAnswer(200, { endpoint: { ...endpointView(endpoint), secret } }, context);
  }
}
