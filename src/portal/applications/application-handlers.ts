import { Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { APPLICATION_ID, type OwnApplication, OwnApplications } from '../../auth/own-applications.js';
import { TestClocks } from '../../auth/test-clocks.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { ownOrigin } from '../../http/own-origin.js';
import { ProductList } from '../products/product-list.js';
import type { FormState } from '../shell/field.js';
import { PageError } from '../shell/page-error.js';
import { visitorOf } from '../shell/portal.guard.js';
import { applicationPage } from './application-page.js';

const SHOWN_EVENTS = 20;

/** Shared by the controllers of an application's pages. */
@Injectable()
export class ApplicationHandlers {
  constructor(
    private readonly own: OwnApplications,
    private readonly products: ProductList,
    private readonly clocks: TestClocks,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The visitor's own application with this id. Throws PageError 404 for an unknown application or another account's. */
  async find(request: FastifyRequest, id: string): Promise<OwnApplication> {
    const application = APPLICATION_ID.test(id) ? await this.own.find(visitorOf(request).accountId, id) : undefined;
    if (!application) throw new PageError(404);
    return application;
  }

  /** The same, of the sandbox: production has neither certifications nor test clocks, so it throws PageError 404 there. */
  async findInSandbox(request: FastifyRequest, id: string): Promise<OwnApplication> {
    const application = await this.find(request, id);
    if (application.environment !== 'sandbox') throw new PageError(404);
    return application;
  }

  /** The application page, with the problems in `state` if a change was rejected, or else `notice`. */
  async show(
    request: FastifyRequest,
    id: string,
    { notice, state }: { notice?: string | undefined; state?: FormState },
  ): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.find(request, id);
    const [all, events] = await Promise.all([this.own.list(visitor.accountId), this.own.events(id, SHOWN_EVENTS)]);
    const products = this.products.for(all);
    const refusal = Object.values(state?.problems ?? {}).join(' ') || undefined;
    return applicationPage({
      visitor,
      application,
      products,
      events,
      clock: { now: this.clocks.now(id), clock: this.clocks.of(id) },
      origin: this.origin(request),
      notice,
      refusal,
    });
  }

  /** The origin that applications call, such as `https://api.example.com`. */
  origin(request: FastifyRequest): string {
    return ownOrigin(request, this.config).origin;
  }
}
