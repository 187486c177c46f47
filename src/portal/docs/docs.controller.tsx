import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import { OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import { ownOrigin } from '../../http/own-origin.js';
import type { Page } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { atomFeed } from './changelog.js';
import { DocsEntrance } from './docs-entrance.js';
import { Article, docsPage, entrancePage } from './docs-frame.js';
import { DocsLibrary } from './docs-library.js';
import {
  type DocsPage,
  type Heading,
  markdownPath,
  objectSlug,
  operationSlug,
  SECTIONS,
  type Section,
} from './docs-page.js';
import { ErrorsPage, reasonHeadings } from './errors-page.js';
import { GettingStarted } from './getting-started-page.js';
import { llmsFullTxt, llmsTxt } from './llms.js';
import { ObjectPage, OperationPage, ResponsesPage } from './operation-page.js';
import { OperationsService } from './operations.service.js';
import { OperationsIndex } from './operations-page.js';
import { SearchResults, SectionOverview } from './overview-pages.js';

const PLAIN = { 'cache-control': 'public, max-age=300', 'x-content-type-options': 'nosniff' };
const MARKDOWN = { ...PLAIN, 'content-type': 'text/markdown; charset=utf-8' };
const TEXT = { ...PLAIN, 'content-type': 'text/plain; charset=utf-8' };
const ATOM = { ...PLAIN, 'content-type': 'application/atom+xml; charset=utf-8' };
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
    const visitor = visitorIf(request);
    const render = (): Page =>
      entrancePage({ visitor, title: 'Documentation' }, <DocsEntrance library={this.library} />);
    return visitor ? render() : this.#rendered.get('', render);
  }

  @Get('docs/operations')
  reference(@Req() request: FastifyRequest): Answer {
    const operations = this.operations.all().map(({ operation }) => operation);
    return this.#shown(request, 'operations', 'API reference', () => <OperationsIndex operations={operations} />);
  }

  @Get('docs/operations/:id')
  operation(@Req() request: FastifyRequest, @Param('id') id: string): Answer {
    const facts = this.operations.find(id);
    if (!facts) throw missing();
    const { origin } = ownOrigin(request, this.config);
    const { schemas } = this.operations;
    const basis = [origin, today(), facts.limits, ...facts.versions].join();
    const content = () => <OperationPage facts={facts} schemas={schemas} origin={origin} />;
    return this.#shown(request, operationSlug(id), facts.operation.summary, content, { basis });
  }

  @Get('docs/operations/:id/responses')
  responses(@Req() request: FastifyRequest, @Param('id') id: string): Answer {
    const facts = this.operations.find(id);
    if (!facts) throw missing();
    const { operation } = facts;
    const title = `${operation.summary}: responses`;
    return this.#shown(request, `${operationSlug(id)}/responses`, title, () => <ResponsesPage operation={operation} />);
  }

  @Get('docs/objects/:name')
  object(@Req() request: FastifyRequest, @Param('name') name: string): Answer {
    const { schemas } = this.operations;
    if (!schemas.ownPages.has(name)) throw missing();
    return this.#shown(request, objectSlug(name), name, () => <ObjectPage name={name} schemas={schemas} />);
  }

  @Get('docs/search')
  search(@Req() request: FastifyRequest, @Query('q') given: unknown): Answer {
    const query = typeof given === 'string' ? given : '';
    const frame = { library: this.library, visitor: visitorIf(request), slug: 'search', title: 'Search', query };
    return docsPage(frame, <SearchResults query={query} found={this.library.find(query)} />);
  }

  @Get('docs/changelog.atom')
  feed(@Req() request: FastifyRequest): Answer {
    const { origin, caching } = ownOrigin(request, this.config);
    return new Answer(200, atomFeed(this.library.changelog, origin), { ...ATOM, 'cache-control': caching });
  }

  @Get('docs/getting-started')
  async gettingStarted(@Req() request: FastifyRequest, @Query('application') application: unknown): Promise<Answer> {
    const visitor = visitorIf(request);
    const { slug, title, html, headings } = found(this.library.page('getting-started'));
    const applications = await this.own.callable(visitor?.accountId);
    const chosen = applications.find(({ id }) => id === application) ?? applications[0];
    const { origin } = ownOrigin(request, this.config);
    const isProduction = this.config.environment === 'production';
    const content = { html, applications, baseUrl: origin, chosen, isSignedIn: visitor !== undefined, isProduction };
    return docsPage({ library: this.library, visitor, slug, title, headings }, <GettingStarted {...content} />);
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
    const headers = { ...POSTMAN_FILE, 'cache-control': caching };
    const render = () => ({ status: 200, headers, body: JSON.stringify(this.operations.postman(origin)) });
    const basis = [origin, today(), this.operations.changeableBrand].join();
    return this.#rendered.get('postman.json', render, basis);
  }

  /** A page that is the same for everyone but its header; `basis` is what else it depends on. */
  #shown(
    request: FastifyRequest,
    slug: string,
    title: string,
    content: () => ComponentChildren,
    { basis, headings }: { readonly basis?: string; readonly headings?: readonly Heading[] } = {},
  ): Answer {
    const visitor = visitorIf(request);
    const frame = { library: this.library, visitor, slug, title, ...(headings && { headings }) };
    const render = (): Page => docsPage(frame, content());
    return visitor ? render() : this.#rendered.get(slug, render, basis);
  }

  #file(request: FastifyRequest, path: string): Answer {
    const section = SECTIONS.find(({ slug }) => slug === path);
    if (section) return this.#section(request, section);
    const { slug, title, html, headings } = found(this.library.page(path));
    const { errorReasons } = this.operations;
    const isErrors = slug === 'errors';
    const content = () => (
      <>
        {isErrors ? <ErrorsPage html={html} reasons={errorReasons} /> : <Article html={html} />}
        <p class="quiet">
          <a href={markdownPath(slug)}>View as Markdown</a>
          {slug === 'changelog' && (
            <>
              , or follow the <a href="/docs/changelog.atom">Atom feed</a>
            </>
          )}
        </p>
      </>
    );
    const all = isErrors ? [...headings, ...reasonHeadings(errorReasons)] : headings;
    return this.#shown(request, slug, title, content, { headings: all });
  }

  #section(request: FastifyRequest, section: Section): Answer {
    const entries = this.library.entries.filter(({ group }) => group === section.group);
    const content = () => <SectionOverview section={section} entries={entries} />;
    return this.#shown(request, section.slug, section.title, content);
  }
}

function found(page: DocsPage | undefined): DocsPage {
  if (!page) throw missing();
  return page;
}

function missing(): PageError {
  return new PageError(404, "This documentation page doesn't exist. See the overview at /docs.");
}

/** On which the dates of examples depend. */
function today(): string {
  return new Date().toISOString().slice(0, 10);
}
