import { Get, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Answer } from '../../http/answer.js';
import { FailedExchangeLog, type KeptExchange } from '../../records/failed-exchange-log.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { exchangePage, failuresPage } from './exchange-page.js';
import { fixtureName } from './fixture.js';

const MOST_LISTED = 200;
const text = z
  .string()
  .max(200)
  .regex(/^\P{Cc}+$/u)
  .optional()
  .catch(undefined);
const query = z.object({ supplier: text, operation: text, request: text });

/** Masked exchanges of failed operations. */
@Pages('ops/failures')
@ForOperators()
export class OpsFailuresController {
  constructor(private readonly failures: FailedExchangeLog) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const { supplier, operation, request: requestId } = query.parse(given);
    const found = await this.failures.list({ supplier, operation, requestId }, MOST_LISTED);
    const filters = Object.entries({ supplier, operation, request: requestId }).filter(([, value]) => value);
    const words = filters.map(([name, value]) => `${name} ${value}`).join(', ');
    return failuresPage(visitorOf(request), found, words === '' ? undefined : words);
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    return exchangePage(visitorOf(request), await this.#find(id));
  }

  /** An answer as a file for `gw adapter try`. */
  @Get(':id/answers/:number')
  async answer(@Param('id') id: string, @Param('number') number: string): Promise<Answer> {
    const kept = await this.#find(id);
    const exchange = /^[1-9]$/.test(number) ? kept.exchanges[Number(number) - 1] : undefined;
    if (!exchange || exchange.status === null) throw new PageError(404);
    return new Answer(200, exchange.received, fileHeaders(fixtureName(kept, exchange, Number(number))));
  }

  async #find(id: string): Promise<KeptExchange> {
    const kept = /^\d{1,15}$/.test(id) ? await this.failures.find(Number(id)) : undefined;
    if (!kept) throw new PageError(404, 'This exchange is not kept anymore. Exchanges are kept for 24 hours at most.');
    return kept;
  }
}

/** A download, which no browser opens as a page. */
function fileHeaders(name: string): Readonly<Record<string, string>> {
  return {
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-disposition': `attachment; filename="${name}"`,
  };
}
