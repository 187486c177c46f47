import { Get, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { SessionsService, type Visitor } from '../../accounts/sessions.service.js';
import { AccountData } from '../../auth/account-data.js';
import { AccountErasure } from '../../auth/account-erasure.js';
import { ChangeRefused } from '../../auth/change-refused.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { throttled } from '../../status/throttled.js';
import type { Store } from '../../store/store.js';
import { STORE } from '../../store/store.module.js';
import { download } from '../shell/download.js';
import { readSubmitted } from '../shell/form.js';
import { requireFreshPassword } from '../shell/fresh-password.js';
import { seeOther } from '../shell/page.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { accountDataPage, deleteAccountPage } from './account-data-pages.js';

const EXPORTS = { perMinute: 1, burst: 5 };
const RETRY_SECONDS = 10;
const deleteForm = z.object({ email: z.string({ error: 'Enter your email address.' }) });

/** What is kept about an account: its owner can download and delete it. */
@Pages('account/data')
@SignedIn()
export class AccountDataController {
  /** Ids of the accounts that this gateway is exporting. */
  readonly #exporting = new Set<string>();

  constructor(
    private readonly data: AccountData,
    private readonly erasure: AccountErasure,
    private readonly sessions: SessionsService,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  show(@Req() request: FastifyRequest): Answer {
    return accountDataPage(visitorOf(request), this.config.reservations.personalDataDays);
  }

  @Get('export')
  async download(@Req() request: FastifyRequest): Promise<Answer> {
    const { accountId } = this.#confirmed(request, '/account/data');
    return await this.#onlyOne(accountId, request);
  }

  @Get('delete')
  askToDelete(@Req() request: FastifyRequest): Answer {
    return deleteAccountPage(this.#confirmed(request, '/account/data/delete'));
  }

  @Submit('delete')
  async delete(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = this.#confirmed(request, '/account/data/delete');
    const form = readSubmitted(request, deleteForm);
    if (!form.ok) return deleteAccountPage(visitor, form);
    const { typed, values } = form;
    if (values.email.trim().toLowerCase() === visitor.email) return await this.#delete(visitor, request);
    return deleteAccountPage(visitor, { typed, problems: { email: "This isn't your email address." } });
  }

  async #delete(visitor: Visitor, request: FastifyRequest): Promise<Answer> {
    try {
      await this.data.close(await this.data.find(visitor.accountId), visitor);
      this.erasure.wake();
    } catch (error) {
      if (!(error instanceof ChangeRefused)) throw error;
      return deleteAccountPage(visitor, { problems: { form: error.message } });
    }
    const cookie = await this.sessions.end(request.headers.cookie);
    return seeOther('/login?notice=account_deleted', { 'set-cookie': cookie });
  }

  async #onlyOne(accountId: string, request: FastifyRequest): Promise<Answer> {
    if (this.#exporting.has(accountId))
      throw throttled(RETRY_SECONDS, 'Another download of your data is in progress.', 'Wait until it is complete.');
    this.#exporting.add(accountId);
    try {
      return await this.#download(accountId, request);
    } catch (error) {
      this.#exporting.delete(accountId);
      throw error;
    }
  }

  /** The download; its end frees the place of the account. */
  async #download(accountId: string, request: FastifyRequest): Promise<Answer> {
    const { allowed, retryAfterSeconds } = await this.store.take(`export-${accountId}`, EXPORTS, 1);
    if (!allowed) throw throttled(retryAfterSeconds, 'You downloaded your data several times.');
    const answer = download(request, this.data.export(await this.data.find(accountId), accountId), {
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="forecourt-${this.config.environment}-${accountId}.json"`,
    });
    // Also if the browser disconnects.
    answer.body.once('close', () => this.#exporting.delete(accountId));
    return answer;
  }

  #confirmed(request: FastifyRequest, path: string): Visitor {
    const visitor = visitorOf(request);
    requireFreshPassword(visitor, this.config.portal.confirmMinutes, path);
    return visitor;
  }
}
