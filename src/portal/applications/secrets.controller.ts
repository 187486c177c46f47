import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../accounts/sessions.service.js';
import { ApplicationAdmin } from '../../auth/application-admin.js';
import type { OwnApplication, OwnSecret } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { readSubmitted } from '../shell/form.js';
import { requireFreshPassword } from '../shell/fresh-password.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { ApplicationHandlers } from './application-handlers.js';
import { carryOut } from './carry-out.js';
import { newSecretPage, revokePage } from './confirm-pages.js';
import { credentialsPage } from './credentials-page.js';
import { newSecretForm, OVERLAPS } from './forms.js';

/** An application's credentials. Showing a secret requires a recently entered password; revoking one does not, because it must be quick. */
@Pages('applications/:id')
@SignedIn()
export class SecretsController {
  constructor(
    private readonly admin: ApplicationAdmin,
    private readonly handlers: ApplicationHandlers,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('credentials')
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('notice') notice?: string,
  ): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.find(request, id);
    this.#requirePassword(request, `/applications/${id}/credentials`);
    return credentialsPage(visitor, application, await this.admin.show(id, visitor), noticeOf(notice));
  }

  @Get('secrets/new')
  async blank(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const application = await this.handlers.find(request, id);
    this.#requirePassword(request, `/applications/${id}/secrets/new`);
    return newSecretPage(visitorOf(request), application);
  }

  /** Leads to the secrets. If the form is sent twice, two secrets are created; the application page lists both. */
  @Submit('secrets')
  async create(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.find(request, id);
    this.#requirePassword(request, `/applications/${id}/secrets/new`);
    const form = readSubmitted(request, newSecretForm);
    if (!form.ok) return newSecretPage(visitor, application, form);
    const create = () => this.#create(visitor, application, form.values.overlap);
    return await carryOut(form.typed, create, (state) => newSecretPage(visitor, application, state));
  }

  @Get('secrets/:secret/revoke')
  async askToRevoke(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('secret') secretId: string,
  ): Promise<Answer> {
    const application = await this.handlers.find(request, id);
    return revokePage(visitorOf(request), application, secretOf(application, secretId));
  }

  @Submit('secrets/:secret/revoke')
  async revoke(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Param('secret') secretId: string,
  ): Promise<Answer> {
    const { id: live } = secretOf(await this.handlers.find(request, id), secretId);
    await this.admin.revoke(live, visitorOf(request));
    return seeOther(`/applications/${id}?notice=revoked`);
  }

  async #create(visitor: Visitor, application: OwnApplication, overlap: keyof typeof OVERLAPS): Promise<Answer> {
    const overlapUntil = new Date(Date.now() + OVERLAPS[overlap]);
    await this.admin.rotate(application.id, overlapUntil, visitor);
    return seeOther(
      `/applications/${application.id}/credentials?notice=secret_${overlap === 'now' ? 'replaced' : 'created'}`,
    );
  }

  #requirePassword(request: FastifyRequest, next: string): void {
    requireFreshPassword(visitorOf(request), this.config.portal.confirmMinutes, next);
  }
}

/** An active secret of this application. Throws PageError 404 for any other id. */
function secretOf({ secrets }: OwnApplication, id: string): OwnSecret {
  const secret = secrets.find((one) => one.id === id);
  if (!secret) throw new PageError(404);
  return secret;
}
