import { Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApplicationsService } from '../../auth/applications.service.js';
import { ClientAuthentication } from '../../auth/client-authentication.js';
import { APPLICATION_ID, type OwnApplication, OwnApplications } from '../../auth/own-applications.js';
import { TokensService } from '../../auth/tokens.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import { contextOf } from '../../http/context.decorator.js';
import { ProductsService } from '../../products/products.service.js';
import { REFUSAL_TRIGGERS } from '../../sandbox/triggers.js';
import type { ApplicationPolicy } from '../../store/store.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { openApiDocument } from '../../system/openapi.js';
import { readSubmitted } from '../shell/form.js';
import type { Page } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorIf, visitorOf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { type ApiOperation, apiOperations } from './api-operations.js';
import { type ConsoleFacts, consolePage } from './console-page.js';
import { AUTHORIZATIONS } from './scenario-picker.js';

const FIRST_SHOWN = 'searchLocations';
const NO_APPLICATION = "This application doesn't exist or is suspended. Choose another one.";
const tokenForm = z.object({ application: z.string(NO_APPLICATION).regex(APPLICATION_ID, NO_APPLICATION) });

/** The console: try API operations with your own application. */
@Pages('console')
export class ConsoleController {
  readonly #operations: readonly ApiOperation[];
  readonly #isProduction: boolean;
  readonly #rendered = new RenderedPages();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly own: OwnApplications,
    private readonly suppliers: SupplierRegistry,
    private readonly applications: ApplicationsService,
    private readonly authentication: ClientAuthentication,
    private readonly tokens: TokensService,
    private readonly products: ProductsService,
  ) {
    this.#operations = apiOperations(openApiDocument(config));
    this.#isProduction = config.environment === 'production';
  }

  /**
   * `?application=`, `?operation=`, `?scenario=` and `?bearer=` set the initial selection, and `?recipe=` fills in a business refusal. Any other
   * parameter fills the field with its name.
   */
  @Get()
  async show(@Req() request: FastifyRequest, @Query() query: Readonly<Record<string, unknown>>): Promise<Answer> {
    const visitor = visitorIf(request);
    const applications = await this.own.callable(visitor?.accountId);
    const chosen = chosenOf(textsOf(query), this.#operations, applications, request.originalUrl);
    const render = (): Page => consolePage({ ...this.#fixed(), visitor, applications, chosen });
    // Its path leads back after the login, so other parameters make another page.
    return !visitor && request.originalUrl === '/console' ? this.#rendered.get('', render) : render();
  }

  #fixed(): Pick<ConsoleFacts, 'operations' | 'products' | 'suppliers' | 'isProduction'> {
    return {
      operations: this.#operations,
      products: this.products.seeds,
      suppliers: this.suppliers.simulated,
      isProduction: this.#isProduction,
    };
  }

  /**
   * Issues a token for one of the visitor's own applications, like the token operation, but with the session instead of the client secret. If
   * the session ends meanwhile, so does the token.
   */
  @Submit('token')
  @SignedIn()
  async token(@Req() request: FastifyRequest): Promise<Answer> {
    const policy = await this.#policyOf(request);
    await this.authentication.count(policy.clientId, request.ip);
    const context = contextOf(request);
    context.admit(policy);
    const issued = await this.tokens.issue(policy, undefined, () => context.reauthorize());
    if (!issued) throw new PageError(403, NO_APPLICATION);
    const { token, expiresInSeconds } = issued;
    return Answer.json(200, { access_token: token, expires_in: expiresInSeconds }, { 'cache-control': 'no-store' });
  }

  /** The policy of the visitor's application in the form. Throws PageError 403 if there is none, and in production. */
  async #policyOf(request: FastifyRequest): Promise<ApplicationPolicy> {
    if (this.#isProduction)
      throw new PageError(403, "The console can't send requests in production, so it can't get a token.");
    const form = readSubmitted(request, tokenForm);
    if (!form.ok) throw new PageError(403, NO_APPLICATION);
    const { accountId } = visitorOf(request);
    const policy = await this.applications.policyOfOwn(form.values.application, accountId, this.config.environment);
    if (!policy) throw new PageError(403, NO_APPLICATION);
    return policy;
  }
}

/** The initial selection from the query parameters. */
function chosenOf(
  { application, operation, scenario = '', bearer, recipe, ...given }: Readonly<Record<string, string>>,
  operations: readonly ApiOperation[],
  applications: readonly OwnApplication[],
  path: string,
): ConsoleFacts['chosen'] {
  const chosen = operations.find(({ id }) => id === operation) ?? operations.find(({ id }) => id === FIRST_SHOWN);
  if (!chosen) throw new PageError(404);
  return {
    operation: chosen,
    application: applications.find(({ id }) => id === application) ?? applications[0],
    scenario,
    authorization: AUTHORIZATIONS.find(([value]) => value === bearer)?.[0] ?? 'token',
    given: new Map(Object.entries(given)),
    recipe: new Map(Object.entries(REFUSAL_TRIGGERS.find(({ cause }) => cause === recipe)?.request?.fields ?? {})),
    path,
  };
}

/** The query parameters that are not repeated. */
function textsOf(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
