import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../accounts/sessions.service.js';
import { NewSecrets } from '../../auth/new-secrets.js';
import { OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { ownOrigin } from '../../http/own-origin.js';
import { StatusReports } from '../../incidents/status-report.service.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { homePage } from './home-page.js';
import { LiveExample } from './live-example.service.js';
import { MilestonesReader } from './milestones.service.js';
import { startPage } from './start-page.js';

/** How long the first visitor waits for the example. */
const PATIENCE_MS = 3_000;

/** The front page for everyone, and the home page of those who are logged in. */
@Pages()
export class StartController {
  readonly #rendered = new RenderedPages();

  constructor(
    private readonly own: OwnApplications,
    private readonly secrets: NewSecrets,
    private readonly milestones: MilestonesReader,
    private readonly views: HeavyViews,
    private readonly example: LiveExample,
    private readonly reports: StatusReports,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('/')
  async start(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorIf(request);
    if (visitor) return await this.#home(visitor);
    return await this.#front(request);
  }

  /** Rendered again when something on it changed. Its origin may come from the request, so it's part of what it depends on. */
  async #front(request: FastifyRequest): Promise<Answer> {
    const { origin } = ownOrigin(request, this.config);
    const [example, status] = await Promise.all([
      this.example.read(request.raw.socket.localPort, PATIENCE_MS),
      this.reports.current(),
    ]);
    const nameOf = (supplier: string): string => this.registry.byId(supplier)?.name ?? supplier;
    const basis = JSON.stringify([origin, example?.requestId, status.generated_at]);
    return this.#rendered.get('', () => startPage({ origin, example, status, nameOf }), basis);
  }

  async #home(visitor: Visitor): Promise<Answer> {
    const all = await this.own.callable(visitor.accountId);
    const [application] = all;
    const others = Math.max(0, all.length - 1);
    if (!application) return homePage({ visitor, application, others, done: undefined, secret: undefined });
    const isSandbox = this.config.environment === 'sandbox';
    const read = () => this.milestones.of(application.id);
    const done = isSandbox ? await this.views.run(visitor.accountId, read) : undefined;
    const secret = isSandbox ? await this.secrets.takeFirst(application, visitor) : undefined;
    return homePage({ visitor, application, others, done, secret });
  }
}
