import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../accounts/sessions.service.js';
import { NewSecrets } from '../../auth/new-secrets.js';
import { type OwnApplication, OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { ownOrigin } from '../../http/own-origin.js';
import { StatusReports } from '../../incidents/status-report.service.js';
import { ErrorGroups } from '../../records/error-groups.js';
import { RequestLog } from '../../records/request-log.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { homePage } from './home-page.js';
import { LiveExample } from './live-example.service.js';
import { MilestonesReader } from './milestones.service.js';
import type { RecentFacts } from './recent.js';
import { startPage } from './start-page.js';

/** How long the first visitor waits for the example. */
const PATIENCE_MS = 1_000;

/** On the home page: the last requests, and the most frequent errors of this time. */
const MOST_REQUESTS = 5;
const MOST_GROUPS = 3;
const FAILED_MS = 24 * 60 * 60_000;

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
    private readonly log: RequestLog,
    private readonly errors: ErrorGroups,
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
    const isComing = this.example.isComing;
    const basis = JSON.stringify([origin, example?.requestId ?? isComing, status.generated_at]);
    const isProduction = this.config.environment === 'production';
    const facts = { origin, isProduction, example, isComing, status, nameOf: this.#nameOf };
    return this.#rendered.get('', () => startPage(facts), basis);
  }

  /** A fixed number of statements, one after the other, however many applications and requests there are. */
  async #home(visitor: Visitor): Promise<Answer> {
    const all = await this.own.callable(visitor.accountId);
    const [application] = all;
    const others = Math.max(0, all.length - 1);
    const isSandbox = this.config.environment === 'sandbox';
    const { recent, done } = await this.views.run(visitor.accountId, async () => ({
      recent: await this.#recent(all),
      done: isSandbox && application ? await this.milestones.of(application.id) : undefined,
    }));
    const secret = isSandbox && application ? await this.secrets.takeFirst(application, visitor) : undefined;
    return homePage({ visitor, application, others, done, secret, recent });
  }

  async #recent(own: readonly OwnApplication[]): Promise<RecentFacts> {
    const ids = own.map(({ id }) => id);
    const requests = await this.log.newest(ids, MOST_REQUESTS);
    const errors = await this.errors.read(ids, { from: Date.now() - FAILED_MS }, MOST_GROUPS);
    return { requests, errors, own, nameOf: this.#nameOf };
  }

  readonly #nameOf = (supplier: string): string => this.registry.byId(supplier)?.name ?? supplier;
}
