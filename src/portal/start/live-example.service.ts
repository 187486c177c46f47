import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { ApplicationsService } from '../../auth/applications.service.js';
import { TokensService } from '../../auth/tokens.service.js';
import { CONFIG, type Config } from '../../config/config.module.js';
import { LOGGER } from '../../config/logger.js';
import { RequestLog } from '../../records/request-log.js';
import type { RequestRecord } from '../../records/request-record.js';

/** The application and its account whose search is shown: demo-applications.ts creates them in a sandbox. */
const [APPLICATION, ACCOUNT] = ['app_demo', 'acc_demo'];
/** How long an example is shown before a new search is made. */
const KEPT_MS = 3_600_000;
/** After a search without an example: the first one of a busy machine may be too slow. */
const RETRY_MS = 10_000;
const CALL_MS = 10_000;
/** Records are written after the answer. */
const [WAIT_MS, WAITS] = [300, 15];
const DAY_MS = 86_400_000;

/**
 * A real partial response for the front page: a search by the sandbox's demo application in which one supplier fails, sent to this gateway's own
 * socket and read from the request log like any other. Only if the page is opened; at most one per process and hour, or every ten seconds until one is recorded.
 */
@Injectable()
export class LiveExample {
  #record: RequestRecord | undefined;
  #until = 0;
  #running: Promise<void> | undefined;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'environment'>,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly applications: ApplicationsService,
    private readonly tokens: TokensService,
    private readonly log: RequestLog,
  ) {}

  /**
   * The example, or undefined if there is none: in production, or until the first search was recorded. Waits for at most `mostMs` and never
   * rejects. `port` is that of this gateway on loopback.
   */
  async read(port: number | undefined, mostMs: number): Promise<RequestRecord | undefined> {
    if (this.config.environment !== 'sandbox' || port === undefined) return undefined;
    if (Date.now() >= this.#until) this.#renew(port);
    if (!this.#record && this.#running) await Promise.race([this.#running, pause(mostMs)]);
    return this.#record;
  }

  /** Whether there is none yet, and a search for it runs. */
  get isComing(): boolean {
    return this.#record === undefined && this.#running !== undefined;
  }

  #renew(port: number): void {
    this.#until = Date.now() + RETRY_MS;
    this.#running = this.#search(port)
      .then((record) => {
        if (!record) return;
        this.#record = record;
        this.#until = Date.now() + KEPT_MS;
      })
      .catch((error: unknown) => this.logger.warn({ err: error }, 'no example for the front page'))
      .finally(() => {
        this.#running = undefined;
      });
  }

  async #search(port: number): Promise<RequestRecord | undefined> {
    const policy = await this.applications.policyOfOwn(APPLICATION, ACCOUNT, 'sandbox');
    const issued = policy && (await this.tokens.issue(policy));
    if (!issued) return undefined;
    const id = `front-page-${randomBytes(8).toString('hex')}`;
    const query = new URLSearchParams({ ...rental(), max_results: '3' });
    const answer = await fetch(`http://127.0.0.1:${port}/cars/catalog/v1/vehicles?${query}`, {
      headers: {
        authorization: `Bearer ${issued.token}`,
        'x-request-id': id,
        'x-sandbox-scenario': 'bravo=slow(300); dune=error(503)',
      },
      signal: AbortSignal.timeout(CALL_MS),
    });
    await answer.body?.cancel();
    return answer.status === 206 ? await this.#recorded(id) : undefined;
  }

  async #recorded(id: string): Promise<RequestRecord | undefined> {
    for (let waits = 0; waits < WAITS; waits += 1) {
      const [record] = await this.log.find([APPLICATION], id);
      if (record) return record;
      await pause(WAIT_MS);
    }
    return undefined;
  }
}

function rental(): { pickup_location: string; pickup_date: string; dropoff_date: string } {
  const day = (ahead: number): string => `${new Date(Date.now() + ahead * DAY_MS).toISOString().slice(0, 10)}T10:00:00`;
  return { pickup_location: 'BOS', pickup_date: day(30), dropoff_date: day(34) };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
