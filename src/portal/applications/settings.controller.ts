import { Get, Param, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import { ApplicationSettings } from '../../auth/application-settings.js';
import type { Answer } from '../../http/answer.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { readSubmitted } from '../shell/form.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { ApplicationHandlers } from './application-handlers.js';
import { carryOut } from './carry-out.js';
import { descriptionForm, originsForm, redirectUrlForm, scenarioForm } from './forms.js';
import { settingsPage } from './settings-page.js';

/** The settings page of an application. */
@Pages('applications/:id')
@SignedIn()
export class SettingsController {
  constructor(
    private readonly settings: ApplicationSettings,
    private readonly handlers: ApplicationHandlers,
    private readonly suppliers: SupplierRegistry,
  ) {}

  @Get('settings')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return settingsPage(visitorOf(request), await this.handlers.find(request, id));
  }

  @Submit('description')
  async describe(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return await this.#save(request, id, descriptionForm, (values, actor) => this.settings.describe(id, values, actor));
  }

  @Submit('redirect-url')
  async setRedirectUrl(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return await this.#save(request, id, redirectUrlForm, ({ redirect_url }, actor) =>
      this.settings.setRedirectUrl(id, redirect_url, actor),
    );
  }

  @Submit('origins')
  async setOrigins(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return await this.#save(request, id, originsForm, ({ origins }, actor) =>
      this.settings.setAllowedOrigins(id, origins, actor),
    );
  }

  @Submit('scenario')
  async setScenario(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return await this.#save(request, id, scenarioForm(this.suppliers.simulated), ({ scenario }, actor) =>
      this.settings.setDefaultScenario(id, scenario, actor),
    );
  }

  async #save<T>(
    request: FastifyRequest,
    id: string,
    schema: z.ZodType<T>,
    save: (values: T, actor: Visitor) => Promise<void>,
  ): Promise<Answer> {
    const visitor = visitorOf(request);
    const application = await this.handlers.find(request, id);
    const form = readSubmitted(request, schema);
    if (!form.ok) return settingsPage(visitor, application, form);
    const work = async (): Promise<Answer> => {
      await save(form.values, visitor);
      return seeOther(`/applications/${id}?notice=saved`);
    };
    return await carryOut(form.typed, work, (state) => settingsPage(visitor, application, state));
  }
}
