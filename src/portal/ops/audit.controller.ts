import { Get, Inject, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { CONFIG, type Config } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { download } from '../shell/download.js';
import { filterText } from '../shell/filters.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { auditPage } from './audit-page.js';
import { AuditTrail } from './audit-trail.service.js';

const PAGE_SIZE = 100;
const query = z.object({
  actor: filterText,
  action: filterText,
  subject: filterText,
  request: filterText,
  since: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .refine((day) => !Number.isNaN(Date.parse(day)))
    .optional()
    .catch(undefined),
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional()
    .catch(undefined),
  verify: z.literal('yes').optional().catch(undefined),
});

/** All changes that operators, developers and the gateway made. */
@Pages('ops/audit')
@ForOperators()
export class OpsAuditController {
  constructor(
    private readonly trail: AuditTrail,
    private readonly views: HeavyViews,
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const { since, request: requestId, verify, ...typed } = query.parse(given);
    const filter = { ...typed, requestId, since: since === undefined ? undefined : new Date(since) };
    const read = () => this.trail.list({ ...filter, limit: PAGE_SIZE + 1 });
    const found = await this.views.run(visitor.accountId, read);
    const check = verify && (await this.views.run(visitor.accountId, () => this.trail.verify()));
    return auditPage(visitor, { typed: { ...typed, since, request: requestId }, found, pageSize: PAGE_SIZE, check });
  }

  /** The complete log as a file, as `gw audit export` prints it. It is read as fast as the browser takes it. */
  @Get('export')
  export(@Req() request: FastifyRequest): Answer {
    return download(request, this.trail.export(), {
      'content-type': 'application/x-ndjson',
      'content-disposition': `attachment; filename="forecourt-${this.config.environment}-audit.ndjson"`,
    });
  }
}
