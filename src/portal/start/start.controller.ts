import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../accounts/sessions.service.js';
import { NewSecrets } from '../../auth/new-secrets.js';
import { OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { homePage } from './home-page.js';
import { MilestonesReader } from './milestones.service.js';
import { startPage } from './start-page.js';

/** The front page for everyone, and the home page of those who are logged in. */
@Pages()
export class StartController {
  readonly #rendered = new RenderedPages();

  constructor(
    private readonly own: OwnApplications,
    private readonly secrets: NewSecrets,
    private readonly milestones: MilestonesReader,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
  ) {}

  @Get('/')
  async start(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorIf(request);
    if (visitor) return await this.#home(visitor);
    return this.#rendered.get('', () => startPage(undefined));
  }

  async #home(visitor: Visitor): Promise<Answer> {
    const all = await this.own.callable(visitor.accountId);
    const [application] = all;
    const others = Math.max(0, all.length - 1);
    if (!application) return homePage({ visitor, application, others, done: undefined, secret: undefined });
    const isSandbox = this.config.environment === 'sandbox';
    const done = isSandbox ? await this.milestones.of(application.id) : undefined;
    const secret = isSandbox ? await this.secrets.takeFirst(application, visitor) : undefined;
    return homePage({ visitor, application, others, done, secret });
  }
}
