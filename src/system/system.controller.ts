import { Controller, Get, Inject } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { z } from 'zod';
import { Public } from '../auth/public.decorator.js';
import { Answer } from '../http/answer.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf } from '../http/operation-parts.js';
import { sharedBytes } from '../http/shared-bytes.js';
import { API_DESCRIPTION } from './api-description.js';
import { Operational } from './operational.decorator.js';
import { Readiness } from './readiness.service.js';

const stateAnswer = z.looseObject({ state: z.string() }).meta({ id: 'StateAnswer' });

/** Health and the API description. Readiness never depends on a supplier. */
@Controller()
@SkipThrottle()
@Operational()
export class SystemController {
  readonly #description: Buffer;

  constructor(
    private readonly readiness: Readiness,
    @Inject(API_DESCRIPTION) description: string,
  ) {
    this.#description = sharedBytes(description);
  }

  @Get('health/live')
  @Public()
  @Operation({
    id: 'live',
    tag: 'Operations',
    summary: 'Check that the process runs',
    description: 'For restarts: it answers whatever the state of the database, the store and suppliers.',
    answers: { 200: ['Yes.', stateAnswer], ...errorsOf(400) },
  })
  live(): Answer {
    return Answer.json(200, { state: 'live' }, { 'cache-control': 'no-store' });
  }

  /** 200 if the gateway is ready, otherwise 503; the body lists each part. */
  @Get('health/ready')
  @Public()
  @Operation({
    id: 'ready',
    tag: 'Operations',
    summary: 'Check that the process is ready for calls',
    description: 'For load balancers: 503 while the store or the database is unavailable, and during shutdown.',
    answers: { 200: ['Yes.', stateAnswer], ...errorsOf(400), 503: ['No.', stateAnswer] },
  })
  async ready(): Promise<Answer> {
    const { isReady, parts } = await this.readiness.check();
    const state = isReady ? 'ready' : 'not_ready';
    return Answer.json(isReady ? 200 : 503, { state, ...parts }, { 'cache-control': 'no-store' });
  }

  @Get('openapi.json')
  @Public()
  @Operation({
    id: 'openapi',
    tag: 'Operations',
    summary: 'This document',
    description: 'The description of the API by this gateway, with its bounds.',
    answers: { 200: ['OpenAPI 3.1.', z.looseObject({})], ...errorsOf(400) },
  })
  openapi(): Answer {
    return new Answer(200, this.#description, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
  }
}
