import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApplicationSettings } from '../../../auth/application-settings.js';
import type { Answer } from '../../../http/answer.js';
import { HeavyViews } from '../../shell/heavy-views.js';
import { noticeOf } from '../../shell/notices.js';
import { seeOther } from '../../shell/page.js';
import { Pages, Submit } from '../../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../../shell/portal.guard.js';
import { ApplicationHandlers } from '../application-handlers.js';
import { certificationPage } from './certification-page.js';
import { CertificationReader } from './certification-reader.service.js';

/** How an account's own sandbox applications behave (docs/certification.md). */
@Pages('applications/:id/certification')
@SignedIn()
export class CertificationController {
  constructor(
    private readonly handlers: ApplicationHandlers,
    private readonly certifications: CertificationReader,
    private readonly settings: ApplicationSettings,
    private readonly views: HeavyViews,
  ) {}

  @Get()
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('notice') notice: unknown,
  ): Promise<Answer> {
    const application = await this.handlers.findInSandbox(request, id);
    const visitor = visitorOf(request);
    const certification = await this.views.run(visitor.accountId, () => this.certifications.of(id));
    return certificationPage(visitor, application, certification, noticeOf(notice));
  }

  @Submit('')
  async begin(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    await this.handlers.findInSandbox(request, id);
    await this.settings.beginCertification(id, visitorOf(request));
    return seeOther(`/applications/${id}/certification?notice=certification_begun`);
  }
}
