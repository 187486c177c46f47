import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ApplicationAdmin } from '../../auth/application-admin.js';
import { NewSecrets } from '../../auth/new-secrets.js';
import { OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { readSubmitted } from '../shell/form.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { ApplicationHandlers } from './application-handlers.js';
import { carryOut } from './carry-out.js';
import { deletePage } from './confirm-pages.js';
import { madePage } from './credentials-page.js';
import { deleteForm, descriptionForm } from './forms.js';
import { listPage } from './list-page.js';
import { newPage } from './new-page.js';

/** An account's applications: list, create, view, suspend, resume and delete (spec §1.3). */
@Pages('applications')
@SignedIn()
export class ApplicationsController {
  constructor(
    private readonly own: OwnApplications,
    private readonly admin: ApplicationAdmin,
    private readonly newSecrets: NewSecrets,
    private readonly handlers: ApplicationHandlers,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query('notice') notice: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    return listPage(visitor, await this.own.list(visitor.accountId), noticeOf(notice));
  }

  @Get('new')
  blank(@Req() request: FastifyRequest): Answer {
    this.#requireSandbox();
    return newPage(visitorOf(request), {});
  }

  /** If the form is sent twice, the second one is rejected because the name is taken. */
  @Submit('')
  async create(@Req() request: FastifyRequest): Promise<Answer> {
    this.#requireSandbox();
    const visitor = visitorOf(request);
    const form = readSubmitted(request, descriptionForm);
    if (!form.ok) return newPage(visitor, form);
    const create = () => this.#create(form.values, request);
    return await carryOut(form.typed, create, (state) => newPage(visitor, state));
  }

  @Get(':id')
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('notice') notice: unknown,
  ): Promise<Answer> {
    return await this.handlers.show(request, id, { notice: noticeOf(notice) });
  }

  /** The credentials of a new application. The secret is shown once; after that, with the password. */
  @Get(':id/made')
  async made(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.find(request, id);
    const secret = await this.newSecrets.takeFirst(application, visitor);
    return madePage(visitor, application, secret, this.handlers.origin(request));
  }

  @Submit(':id/suspend')
  async suspend(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    await this.handlers.find(request, id);
    await this.admin.setState(id, 'suspended', visitorOf(request));
    return seeOther(`/applications/${id}?notice=suspended`);
  }

  @Submit(':id/resume')
  async resume(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    await this.handlers.find(request, id);
    const resume = async (): Promise<Answer> => {
      await this.admin.resumeOwn(id, visitorOf(request));
      return seeOther(`/applications/${id}?notice=resumed`);
    };
    return await carryOut({}, resume, (state) => this.handlers.show(request, id, { state }));
  }

  @Get(':id/delete')
  async askToDelete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return deletePage(visitorOf(request), await this.handlers.find(request, id));
  }

  @Submit(':id/delete')
  async delete(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.find(request, id);
    const form = readSubmitted(request, deleteForm);
    if (!form.ok) return deletePage(visitor, application, form);
    if (form.values.name.trim() !== application.name)
      return deletePage(visitor, application, { typed: form.typed, problems: notNamed(application.name) });
    await this.admin.remove(id, visitor);
    return seeOther('/applications?notice=deleted');
  }

  async #create({ name, description }: z.output<typeof descriptionForm>, request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const values = { name, description, accountId: visitor.accountId, products: [] } as const;
    const tier = this.config.portal.defaultTier;
    const { applicationId } = await this.admin.create({ ...values, tier }, visitor);
    return seeOther(`/applications/${applicationId}/made`);
  }

  /** Applications of production are created by approving a request (access-requests.ts), never by a developer. */
  #requireSandbox(): void {
    if (this.config.environment !== 'sandbox') throw new PageError(404);
  }
}

function notNamed(name: string): { readonly name: string } {
  return { name: `The name doesn't match. Enter ${name} to confirm.` };
}
