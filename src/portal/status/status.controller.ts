import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Answer } from '../../http/answer.js';
import { sharedBytes } from '../../http/shared-bytes.js';
import type { StatusReport } from '../../incidents/status-report.schema.js';
import { StatusReports } from '../../incidents/status-report.service.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { statusPage } from './status-page.js';

/** As long as a report is used; proxies may keep it. */
const CACHED = 'public, max-age=5';

/** The status page for everyone, and the same as JSON (docs/status-page.md). */
@Pages()
export class StatusController {
  readonly #rendered = new RenderedPages();
  /** The JSON of the report that was requested last. */
  #json: { readonly report: StatusReport; readonly body: Buffer } | undefined;

  constructor(private readonly reports: StatusReports) {}

  @Get('status')
  async page(@Req() request: FastifyRequest): Promise<Answer> {
    const report = await this.reports.current();
    const visitor = visitorIf(request);
    if (visitor) return statusPage(visitor, report);
    return this.#rendered.get('', () => statusPage(undefined, report), report.generated_at);
  }

  @Get('status.json')
  async json(): Promise<Answer> {
    const report = await this.reports.current();
    if (this.#json?.report !== report) this.#json = { report, body: sharedBytes(JSON.stringify(report)) };
    const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': CACHED };
    return new Answer(200, this.#json.body, { ...headers, 'access-control-allow-origin': '*' });
  }
}
