import { Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Answer } from '../../http/answer.js';
import { Pages } from '../shell/pages.decorator.js';
import { visitorIf } from '../shell/portal.guard.js';
import { RenderedPages } from '../shell/rendered-pages.js';
import { startPage } from './start-page.js';

/** The start page. */
@Pages()
export class StartController {
  readonly #rendered = new RenderedPages();

  @Get('/')
  start(@Req() request: FastifyRequest): Answer {
    const visitor = visitorIf(request);
    return visitor ? startPage(visitor) : this.#rendered.get('', () => startPage(undefined));
  }
}
