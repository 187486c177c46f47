import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Answer } from '../../http/answer.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { Pages } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { Subjects } from './subjects.service.js';
import { SwitchboardService } from './switchboard.service.js';
import { switchesPage } from './switches-page.js';

/** What is switched off or planned. */
@Pages('ops/switches')
@ForOperators()
export class OpsSwitchesController {
  constructor(
    private readonly switchboard: SwitchboardService,
    private readonly views: HeavyViews,
    private readonly subjects: Subjects,
  ) {}

  @Get()
  async show(@Req() request: FastifyRequest): Promise<Answer> {
    const visitor = visitorOf(request);
    const board = await this.views.run(visitor.accountId, () => this.switchboard.all());
    return switchesPage(visitor, board, (subject) => this.subjects.label(subject));
  }
}
