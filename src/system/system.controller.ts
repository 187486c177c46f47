import { Controller, Get, Inject } from '@nestjs/common';
import { SkipThrottle } from '@nestjs/throttler';
import { Public } from '../auth/public.decorator.js';
import { CONFIG, type Config } from '../config/config.module.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { Answer } from '../http/answer.js';
import { lifecycle } from '../http/open-request.js';
import { metrics } from '../metrics/metrics.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { openApiDocument } from './openapi.js';
import { Operational } from './operational.decorator.js';

/** Health, metrics and the API's own description. Ready never depends on a supplier. */
@Controller()
@SkipThrottle()
@Operational()
export class SystemController {
  readonly #openapi: string;

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) config: Config,
  ) {
    this.#openapi = JSON.stringify(openApiDocument(config.search));
  }

  @Get('health/live')
  @Public()
  live(): Answer {
    return Answer.json(200, { state: 'live' }, { 'cache-control': 'no-store' });
  }

  /** 200 when store and database answer and the process is not draining, else 503; each part is named. */
  @Get('health/ready')
  @Public()
  async ready(): Promise<Answer> {
    const [store, database] = await Promise.all([answers(this.store.ping()), answers(this.database.ping())]);
    const { draining } = lifecycle;
    const ready = store && !draining;
    const parts = { store: store ? 'up' : 'down', database: database ? 'up' : 'down', draining };
    const state = ready ? 'ready' : 'not_ready';
    return Answer.json(ready ? 200 : 503, { state, ...parts }, { 'cache-control': 'no-store' });
  }

  @Get('metrics')
  @Public()
  async metrics(): Promise<Answer> {
    return new Answer(200, await metrics.metrics(), {
      'content-type': metrics.contentType,
      'cache-control': 'no-store',
    });
  }

  @Get('openapi.json')
  @Public()
  openapi(): Answer {
    return new Answer(200, this.#openapi, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=300',
    });
  }
}

/** Whether a part answers; a database or store that is down is news for the reader, not an error of this route. */
async function answers(ping: Promise<void>): Promise<boolean> {
  return ping.then(
    () => true,
    () => false,
  );
}
