import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { OwnApplication } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import { DeliveryLog, type DeliveryRow } from '../../webhooks/delivery-log.js';
import { type Endpoint, EndpointStore, MOST_ENDPOINTS } from '../../webhooks/endpoint-store.js';
import { allowsLoopback } from '../../webhooks/webhook-sender.js';
import { ApplicationHandlers } from '../applications/application-handlers.js';
import type { FormState } from '../shell/field.js';
import { readSubmitted, type Submitted } from '../shell/form.js';
import { requireFreshPassword } from '../shell/fresh-password.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { livePart } from '../shell/live-part.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { deliveriesPart } from './deliveries-table.js';
import { endpointPage, replayPathOf, SHOWN_EVENTS } from './endpoint-page.js';
import { endpointsPage, secretPage } from './endpoints-page.js';
import { endpointForm, OVERLAP_HOURS, replayForm, rotateForm, stateForm } from './webhook-forms.js';

const ENDPOINT_ID = /^whe_[0-9a-f]{24}$/;
const REFUSALS = {
  too_many: { form: `An application can have at most ${MOST_ENDPOINTS} endpoints. Delete one first.` },
  url_taken: { url: 'Another endpoint of the application has this URL. Change that one, or use another URL.' },
};

type EndpointValues = z.infer<ReturnType<typeof endpointForm>>;

/** An application with one of its endpoints. */
interface Found {
  readonly application: OwnApplication;
  readonly endpoint: Endpoint;
}

/** The webhook endpoints of an application and their events. Showing a secret requires a recently entered password. */
@Pages('applications/:id/webhooks')
@SignedIn()
export class WebhooksPagesController {
  constructor(
    private readonly endpoints: EndpointStore,
    private readonly log: DeliveryLog,
    private readonly handlers: ApplicationHandlers,
    private readonly views: HeavyViews,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('notice') notice: unknown,
  ): Promise<Answer> {
    return await this.#list(request, await this.handlers.find(request, id), { notice: noticeOf(notice) });
  }

  /** Responds with the secret. If the form is sent twice, the second one gets "has this URL". */
  @Submit('')
  async add(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const application = await this.handlers.find(request, id);
    if (!application.products.includes('car_webhooks')) throw new PageError(403);
    this.#requirePassword(request, `/applications/${id}/webhooks`);
    const form = readSubmitted(request, endpointForm(allowsLoopback(this.config)), ['events']);
    if (!form.ok) return await this.#list(request, application, { state: form });
    return await this.#add(request, application, form);
  }

  @Get(':endpoint')
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
    @Query('notice') notice: unknown,
  ): Promise<Answer> {
    return await this.#show(request, await this.#find(request, id, endpointId), { notice: noticeOf(notice) });
  }

  /** Server-sent events with one event per connection, as for operators: the session is checked each time. */
  @Get(':endpoint/events')
  async events(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
  ): Promise<Answer> {
    const { endpoint } = await this.#find(request, id, endpointId);
    const part = deliveriesPart({ rows: await this.#rows(request, endpoint), replayPath: replayPathOf(endpoint) });
    return livePart(part, 2_000);
  }

  @Submit(':endpoint/state')
  async setState(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
  ): Promise<Answer> {
    const found = await this.#find(request, id, endpointId);
    const form = readSubmitted(request, stateForm);
    if (!form.ok) return await this.#show(request, found, { state: form });
    await this.endpoints.change(id, endpointId, form.values, visitorOf(request));
    return seeOther(`/applications/${id}/webhooks/${endpointId}?notice=webhook_${form.values.state}`);
  }

  /** Responds with the new secret. */
  @Submit(':endpoint/secret')
  async rotate(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
  ): Promise<Answer> {
    const found = await this.#find(request, id, endpointId);
    this.#requirePassword(request, `/applications/${id}/webhooks/${endpointId}`);
    const form = readSubmitted(request, rotateForm);
    if (!form.ok) return await this.#show(request, found, { state: form });
    return await this.#rotate(request, found, OVERLAP_HOURS[form.values.overlap]);
  }

  @Submit(':endpoint/test')
  async test(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
  ): Promise<Answer> {
    const { endpoint } = await this.#find(request, id, endpointId);
    if (endpoint.state === 'active') await this.endpoints.test(endpoint);
    return seeOther(
      `/applications/${id}/webhooks/${endpointId}${endpoint.state === 'active' ? '?notice=webhook_test' : ''}`,
    );
  }

  @Submit(':endpoint/replay')
  async replay(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
  ): Promise<Answer> {
    const found = await this.#find(request, id, endpointId);
    const form = readSubmitted(request, replayForm);
    if (!form.ok) return await this.#show(request, found, { state: form });
    const isSent = found.endpoint.state === 'active' && (await this.log.replay(endpointId, form.values.event));
    if (!isSent) throw new PageError(404);
    return seeOther(`/applications/${id}/webhooks/${endpointId}?notice=webhook_replayed`);
  }

  @Submit(':endpoint/delete')
  async remove(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('endpoint') endpointId: string,
  ): Promise<Answer> {
    await this.#find(request, id, endpointId);
    await this.endpoints.remove(id, endpointId, visitorOf(request));
    return seeOther(`/applications/${id}/webhooks?notice=webhook_deleted`);
  }

  async #add(
    request: FastifyRequest,
    application: OwnApplication,
    form: Extract<Submitted<EndpointValues>, { ok: true }>,
  ): Promise<Answer> {
    const visitor = visitorOf(request);
    const owner = { applicationId: application.id, accountId: visitor.accountId };
    const made = await this.endpoints.create(owner, { ...form.values, state: 'active' }, visitor);
    if (typeof made === 'object') return secretPage(visitor, application, made, 'The endpoint was added.');
    return await this.#list(request, application, { state: { typed: form.typed, problems: REFUSALS[made] } });
  }

  async #rotate(request: FastifyRequest, found: Found, hours: number): Promise<Answer> {
    const made = await this.endpoints.rotate(found.application.id, found.endpoint.id, hours, visitorOf(request));
    if (!made) throw new PageError(404);
    const notice = `The secret was replaced. The one before ${hours === 0 ? 'is no longer used' : `signs as well for ${hours} h`}.`;
    return secretPage(visitorOf(request), found.application, made, notice);
  }

  /** Throws PageError 404 for an endpoint of another application, which the visitor can't distinguish from an unknown one. */
  async #find(request: FastifyRequest, id: string, endpointId: string): Promise<Found> {
    const application = await this.handlers.find(request, id);
    const endpoint = ENDPOINT_ID.test(endpointId) ? await this.endpoints.find(id, endpointId) : undefined;
    if (!endpoint) throw new PageError(404);
    return { application, endpoint };
  }

  async #list(
    request: FastifyRequest,
    application: OwnApplication,
    shown: { notice?: string | undefined; state?: FormState },
  ): Promise<Answer> {
    const endpoints = await this.endpoints.list(application.id);
    return endpointsPage({ visitor: visitorOf(request), application, endpoints, ...shown });
  }

  async #show(
    request: FastifyRequest,
    found: Found,
    shown: { notice?: string | undefined; state?: FormState },
  ): Promise<Answer> {
    const deliveries = await this.#rows(request, found.endpoint);
    return endpointPage({ visitor: visitorOf(request), ...found, deliveries, ...shown });
  }

  async #rows(request: FastifyRequest, { id }: Endpoint): Promise<readonly DeliveryRow[]> {
    return await this.views.run(visitorOf(request).accountId, () => this.log.list(id, { limit: SHOWN_EVENTS }));
  }

  #requirePassword(request: FastifyRequest, next: string): void {
    requireFreshPassword(visitorOf(request), this.config.portal.confirmMinutes, next);
  }
}
