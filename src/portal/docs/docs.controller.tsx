import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import { ownOrigin } from '../../http/own-origin.js';
import type { Page } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { Article, docsPage } from './docs-frame.js';
import { DocsLibrary } from './docs-library.js';
import { type DocsPage, markdownPath } from './docs-page.js';
import { ProvokeTable } from './errors-page.js';
import { GettingStarted } from './getting-started-page.js';
import { llmsFullTxt, llmsTxt } from './llms.js';
import { OperationsService } from './operations.service.js';
import { OperationsReference } from './operations-page.js';

const PLAIN = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };
const MARKDOWN = { ...PLAIN, 'content-type': 'text/markdown; charset=utf-8' };
const TEXT = { ...PLAIN, 'content-type': 'text/plain; charset=utf-8' };
const POSTMAN_FILE = {
  ...PLAIN,
  'content-type': 'application/json; charset=utf-8',
  'content-disposition': 'attachment; filename="forecourt.postman_collection.json"',
};

/** The documentation, for people and for programs. */
@Pages()
export class DocsController {
  readonly #rendered = new RenderedPages();

  /** As bytes, because it is long. */
  #allPages: Buffer | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly library: DocsLibrary,
    private readonly operations: OperationsService,
    private readonly own: OwnApplications,
  ) {}

  @Get('docs')
  index(@Req() request: FastifyRequest): Answer {
    return this.#file(request, '');
  }

  @Get('docs/operations')
  reference(@Req() request: FastifyRequest): Answer {
    const visitor = visitorIf(request);
    const frame = { library: this.library, visitor, slug: 'operations', title: 'Operations' };
    const facts = this.operations.all();
    const render = (): Page => docsPage(frame, <OperationsReference facts={facts} />);
    if (visitor) return render();
    const basis = facts.map(({ limits, versions }) => [limits, ...versions].join()).join('|');
    return this.#rendered.get('operations', render, basis);
  }

  @Get('docs/getting-started')
  async gettingStarted(@Req() request: FastifyRequest, @Query('application') application: unknown): Promise<Answer> {
    const visitor = visitorIf(request);
    const { slug, title, html } = found(this.library.page('getting-started'));
    const applications = await this.own.callable(visitor?.accountId);
    const chosen = applications.find(({ id }) => id === application) ?? applications[0];
    const { origin } = ownOrigin(request, this.config);
    const content = { html, applications, baseUrl: origin, chosen, isSignedIn: visitor !== undefined };
    return docsPage({ library: this.library, visitor, slug, title }, <GettingStarted {...content} />);
  }

  /** A page, or its Markdown if the path ends in .md. */
  @Get('docs/*')
  page(@Req() request: FastifyRequest, @Param('*') path: string): Answer {
    if (!path.endsWith('.md')) return this.#file(request, path);
    return new Answer(200, found(this.library.pageOfFile(path)).markdown, MARKDOWN);
  }

  @Get('llms.txt')
  llms(@Req() request: FastifyRequest): Answer {
    const { origin, caching } = ownOrigin(request, this.config);
    return new Answer(200, llmsTxt(this.library, origin), { ...TEXT, 'cache-control': caching });
  }

  @Get('llms-full.txt')
  llmsFull(): Answer {
    this.#allPages ??= Buffer.from(llmsFullTxt(this.library));
    return new Answer(200, this.#allPages, TEXT);
  }

  @Get('postman.json')
  postman(@Req() request: FastifyRequest): Answer {
    const { origin, caching } = ownOrigin(request, this.config);
    return Answer.json(200, this.operations.postman(origin), { ...POSTMAN_FILE, 'cache-control': caching });
  }

  #file(request: FastifyRequest, path: string): Answer {
    const { slug, title, html } = found(this.library.page(path));
    const visitor = visitorIf(request);
    const render = (): Page =>
      docsPage(
        { library: this.library, visitor, slug, title },
        <>
          <Article html={html} />
          {slug === 'errors' && this.operations.errorExamples.length > 0 && (
            <ProvokeTable rows={this.operations.errorExamples} />
          )}
          <p class="quiet">
            <a href={markdownPath(slug)}>View as Markdown</a>
          </p>
        </>,
      );
    return visitor ? render() : this.#rendered.get(slug, render);
  }
}

function found(page: DocsPage | undefined): DocsPage {
  if (!page) throw new PageError(404, "This documentation page doesn't exist. See the overview at /docs.");
  return page;
}
