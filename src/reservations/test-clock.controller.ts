import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ChangeRefused } from '../auth/change-refused.js';
import { TurnMissedError, Turns } from '../config/turns.js';
import type { RequestContext } from '../context/request-context.js';
import { TooManyChangesError } from '../database/actor.js';
import { Answer } from '../http/answer.js';
import { Context } from '../http/context.decorator.js';
import { Operation } from '../http/operation.decorator.js';
import { errorsOf, REQUEST_HEADERS } from '../http/operation-parts.js';
import { SchemaPipe } from '../http/schema.pipe.js';
import { ApiError } from '../status/api-error.js';
import { statusContainer } from '../status/status-container.js';
import { throttled } from '../status/throttled.js';
import { TestClockService } from './test-clock.service.js';
import { type ClockBody, clockAnswer, clockBody, type NoQuery, noQuery } from './test-clock.wire.js';

const ROUTE = 'v1';
/** Retry-After of a call whose turn did not come. */
const TURN_SECONDS = 2;
const tag = 'Sandbox';
const isSandboxOnly = true;

/** The test clock of the calling application (decision 0087). Production doesn't have this controller. */
@Controller('sandbox/clock')
export class TestClockController {
  readonly #turns = new Turns();

  constructor(private readonly service: TestClockService) {}

  @Get(ROUTE)
  @Operation({
    id: 'readTestClock',
    tag,
    isSandboxOnly,
    summary: 'Read the test clock',
    description: "Returns the application's time, which is real time until its test clock is moved.",
    headers: REQUEST_HEADERS,
    answers: { 200: ['The clock.', clockAnswer], ...errorsOf(400, 401, 408, 429, 500, 503) },
  })
  read(@Query(new SchemaPipe(noQuery)) _query: NoQuery, @Context() context: RequestContext): Answer {
    return this.#answer(context);
  }

  @Put(ROUTE)
  @Operation({
    id: 'moveTestClock',
    tag,
    isSandboxOnly,
    summary: 'Move the test clock',
    description:
      "Moves the application's time forward. What is due then happens within seconds: requests are decided or expire, rentals end, deprecated versions are retired, and cancellations cost their fee.",
    body: clockBody,
    headers: REQUEST_HEADERS,
    answers: { 200: ['The moved clock.', clockAnswer], ...errorsOf(400, 401, 408, 429, 500, 503) },
  })
  async move(
    @Query(new SchemaPipe(noQuery)) _query: NoQuery,
    @Body(new SchemaPipe<ClockBody>(clockBody, 'body')) { now, outcome }: ClockBody,
    @Context() context: RequestContext,
  ): Promise<Answer> {
    const { applicationId } = context.policy;
    const to = now === undefined ? undefined : Date.parse(now);
    await this.#inTurn(context, () => this.service.set(applicationId, { to, outcome }, applicationId));
    return this.#answer(context);
  }

  @Delete(ROUTE)
  @Operation({
    id: 'resetTestClock',
    tag,
    isSandboxOnly,
    summary: 'Reset the test clock',
    description: 'Returns the application to real time. What happened by its clock stays.',
    headers: REQUEST_HEADERS,
    answers: { 204: ['The application has real time.', null], ...errorsOf(400, 401, 408, 429, 500, 503) },
  })
  async reset(@Query(new SchemaPipe(noQuery)) _query: NoQuery, @Context() context: RequestContext): Promise<Answer> {
    const { applicationId } = context.policy;
    await this.#inTurn(context, () => this.service.reset(applicationId, applicationId));
    return new Answer(204, '', { 'cache-control': 'no-store' });
  }

  #answer({ policy: { applicationId }, startedAt }: RequestContext): Answer {
    const clock = this.service.view(applicationId);
    return Answer.json(200, { status: statusContainer(startedAt, 200, []), clock }, { 'cache-control': 'no-store' });
  }

  /** An account changes its clocks one request at a time. Throws ApiError for a change that the rules forbid, and 429 for too many. */
  async #inTurn(context: RequestContext, change: () => Promise<void>): Promise<void> {
    try {
      await context.inTurn(this.#turns, change);
    } catch (error) {
      if (error instanceof TooManyChangesError) throw throttled(error.retryAfterSeconds, error.message);
      if (error instanceof TurnMissedError)
        throw throttled(TURN_SECONDS, 'Your account waits for other changes of its clocks.');
      if (!(error instanceof ChangeRefused)) throw error;
      throw ApiError.of('invalid_range', error.message, { field: error.field });
    }
  }
}
