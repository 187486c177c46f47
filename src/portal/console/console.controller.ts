import { Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { ApplicationsService } from '../../auth/applications.service.js';
import { ClientAuthentication } from '../../auth/client-authentication.js';
import { OwnApplications } from '../../auth/own-applications.js';
import { TokensService } from '../../auth/tokens.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import { contextOf } from '../../http/context.decorator.js';
import { REFUSAL_TRIGGERS } from '../../sandbox/triggers.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { openApiDocument } from '../../system/openapi.js';
import { readSubmitted } from '../shell/form.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorIf, visitorOf } from '../shell/portal.guard.js';
import { type ApiOperation, apiOperations } from './api-operations.js';
import { consolePage } from './console-page.js';
import { AUTHORIZATIONS } from './scenario-picker.js';

const FIRST_SHOWN = 'searchLocations';
const NO_APPLICATION = 'You have no such application here, or it is suspended. Choose another one.';
const tokenForm = z.object({ application: z.string(NO_APPLICATION).max(60, NO_APPLICATION) });

/** The console: operations of the API, tried in the page with the visitor's own application. */
@Pages('console')
export class ConsoleController {
  readonly #operations: readonly ApiOperation[];
  readonly #isProduction: boolean;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly own: OwnApplications,
    private readonly suppliers: SupplierRegistry,
    private readonly applications: ApplicationsService,
    private readonly authentication: ClientAuthentication,
    private readonly tokens: TokensService,
  ) {
    this.#operations = apiOperations(openApiDocument(config.search));
    this.#isProduction = config.environment === 'production';
  }

  /**
   * `?application=`, `?operation=`, `?scenario=`, `?bearer=` choose what is shown, `?recipe=` fills in a business refusal; every other parameter
   * fills the field of its name.
   */
  @Get()
  async show(@Req() request: FastifyRequest, @Query() query: Readonly<Record<string, unknown>>): Promise<Answer> {
    const visitor = visitorIf(request);
    const applications = await this.own.callable(visitor?.accountId, this.config.environment);
    const { application, operation, scenario = '', bearer, recipe, ...given } = textsOf(query);
    const chosen =
      this.#operations.find(({ id }) => id === operation) ?? this.#operations.find(({ id }) => id === FIRST_SHOWN);
    if (!chosen) throw new PageError(404);
    return consolePage({
      visitor,
      operations: this.#operations,
      suppliers: this.suppliers.played,
      applications,
      isProduction: this.#isProduction,
      chosen: {
        operation: chosen,
        application: applications.find(({ id }) => id === application) ?? applications[0],
        scenario,
        authorization: AUTHORIZATIONS.find(([value]) => value === bearer)?.[0] ?? 'token',
        given: new Map(Object.entries(given)),
        recipe: new Map(Object.entries(REFUSAL_TRIGGERS.find(({ cause }) => cause === recipe)?.request?.fields ?? {})),
        path: request.originalUrl,
      },
    });
  }

  /** A token of one of the visitor's own applications: as from the token operation, in place of whose secret stands the session. */
  @Submit('token')
  @SignedIn()
  async token(@Req() request: FastifyRequest): Promise<Answer> {
    if (this.#isProduction)
      throw new PageError(403, 'The console sends nothing in production, so it gets no token there.');
    const form = readSubmitted(request, tokenForm);
    const policy = form.ok
      ? await this.applications.policyOfOwn(
          form.values.application,
          visitorOf(request).accountId,
          this.config.environment,
        )
      : undefined;
    if (!policy) throw new PageError(403, NO_APPLICATION);
    await this.authentication.count(policy.clientId, request.ip);
    contextOf(request).admit(policy);
    const issued = await this.tokens.issue(policy);
    if (!issued) throw new PageError(403, NO_APPLICATION);
    const { token, expiresInSeconds } = issued;
    return Answer.json(200, { access_token: token, expires_in: expiresInSeconds }, { 'cache-control': 'no-store' });
  }
}

/** The parameters of a query that were given once. */
function textsOf(query: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
