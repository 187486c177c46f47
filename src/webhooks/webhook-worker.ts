import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Logger } from 'pino';
import { CONFIG, type Config } from '../config/config.module.js';
import { LOGGER } from '../config/logger.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { OperatorReads } from '../database/operator-reads.js';
import { Pace } from '../database/pace.js';
import { maskedText } from '../privacy/masked-text.js';
import { DeliveryQueue, type DueEvent, type LeasedEndpoint, SLOW_MS } from './delivery-queue.js';
import { eventBody } from './event-body.js';
import { PlaceUse } from './place-use.js';
import { SuspensionNotices } from './suspension-notices.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { type Attempt, WebhookSender } from './webhook-sender.js';

/** How often a gateway looks for due events: while there are changes that make events, and for a while after; otherwise. */
const QUICK_MS = 500;
const SELDOM_MS = 5_000;
const ACTIVE_MS = 10_000;
/** After an error of the database. */
const ERROR_MS = 2_000;
const PURGE_MS = 60_000;
/** Endpoints that a gateway delivers to at a time, and those of one account. Slow ones have places of their own. */
const PLACES = { fast: 16, slow: 8, perAccount: 2 };
/** How long attempts may take after the process was asked to stop. */
const FINISH_MS = 1_000;
/** How often a turn takes due events: those that wait for others of their subject become due in between. */
const MOST_ROUNDS = 5;
/** Attempts at one endpoint at a time. */
const CONCURRENT = 4;
/** A turn starts no further attempt after this, so that others need not wait for long, and that it ends before its lease. */
const TURN_MS = 1_000;

/**
 * Delivers events on every gateway that does background work (decision 0056). Each turn leases an endpoint, sends some of
 * its due events, and ends with the first attempt that fails or is slow. Accounts share the places by time used (PlaceUse).
 */
@Injectable()
export class WebhookWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #turns = new Map<LeasedEndpoint, Promise<void>>();
  #loop: Promise<void> = Promise.resolve();
  #isStopped = false;
  /** Without any endpoint, the database isn't asked for due events. */
  #hasEndpoints = false;
  #wake: () => void = () => undefined;
  /** A turn ended since the loop last looked. */
  #isWoken = false;
  #purgedAt = Number.NEGATIVE_INFINITY;
  readonly #pace: Pace;
  readonly #use = new PlaceUse();

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly sender: WebhookSender,
    private readonly secrets: WebhookSecrets,
    private readonly notices: SuspensionNotices,
    @Inject(CONFIG) private readonly config: Pick<Config, 'backgroundWork'>,
    @Inject(DATABASE) { changes }: Pick<Database, 'changes'>,
    @Inject(LOGGER) private readonly logger: Logger,
    reads: OperatorReads,
  ) {
    const limits = { quickMs: QUICK_MS, slowMs: SELDOM_MS, activeMs: ACTIVE_MS };
    const tables = ['reservations', 'webhook_deliveries', 'webhook_endpoints', 'audit_events'] as const;
    this.#pace = new Pace(changes, tables, limits, () => this.#look());
    const apply = (rows: readonly unknown[]): void => {
      this.#hasEndpoints = rows.length > 0;
    };
    if (config.backgroundWork) reads.add({ statement: queue.anyEndpoint, apply });
  }

  onApplicationBootstrap(): void {
    if (this.config.backgroundWork) this.#loop = this.#run();
  }

  /** Before the database is closed. Attempts in progress have a moment to end; the others are made again after the start. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    const timer = setTimeout(() => void this.sender.close(), FINISH_MS);
    await this.#loop;
    await Promise.all(this.#turns.values());
    clearTimeout(timer);
    await this.sender.close();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      let failed = false;
      this.#isWoken = false;
      try {
        await this.#begin();
        await this.#tidy();
      } catch (error) {
        this.#report(error);
        failed = true;
      }
      if (failed || !this.#isWoken) await this.#pause(failed ? ERROR_MS : this.#pace.pauseMs);
    }
  }

  /** Leases endpoints for the places that are free. A turn that ends wakes the loop, so that it leases the next. */
  async #begin(): Promise<void> {
    const serving = [...this.#turns.keys()];
    const countOf = (isSlow: boolean) => serving.filter((one) => one.isSlow === isSlow).length;
    const [fast, slow] = [PLACES.fast - countOf(false), PLACES.slow - countOf(true)];
    if (!this.#hasEndpoints || (fast <= 0 && slow <= 0)) return;
    const busy = serving.map(({ accountId, isSlow }) => ({
      accountId,
      isSlow,
      count: serving.filter((one) => one.accountId === accountId && one.isSlow === isSlow).length,
    }));
    const distinct = busy.filter(
      (one, index) =>
        busy.findIndex((other) => other.accountId === one.accountId && other.isSlow === one.isSlow) === index,
    );
    const leased = await this.queue.lease({ fast, slow, perAccount: PLACES.perAccount, busy: distinct });
    for (const endpoint of leased) {
      const turn = this.#serve(endpoint)
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          this.#turns.delete(endpoint);
          this.#look();
        });
      this.#turns.set(endpoint, turn);
    }
  }

  /** Makes the loop look for due events now. */
  #look(): void {
    this.#isWoken = true;
    this.#wake();
  }

  /** One turn of an endpoint, or none yet: if its account used places lately, it waits behind those that used less. */
  async #serve(endpoint: LeasedEndpoint): Promise<void> {
    const sinceMs = performance.now();
    try {
      if (!endpoint.isAhead || this.#use.isLittle(endpoint)) await this.#rounds(endpoint);
    } finally {
      this.#use.add(endpoint, performance.now() - sinceMs);
      await this.queue.release(endpoint, this.#use.aheadMs(endpoint));
    }
  }

  async #rounds(endpoint: LeasedEndpoint): Promise<void> {
    const endsAt = performance.now() + TURN_MS;
    let isOver = false;
    const mayGoOn = () => !isOver && !this.#isStopped && performance.now() < endsAt;
    for (let round = 0; round < MOST_ROUNDS && mayGoOn(); round += 1) {
      const events = [...(await this.queue.due(endpoint))];
      if (events.length === 0) break;
      const work = async (): Promise<void> => {
        for (let event = events.shift(); event && mayGoOn(); event = events.shift())
          if (!(await this.#deliver(endpoint, event))) isOver = true;
      };
      await Promise.all(Array.from({ length: CONCURRENT }, work));
    }
  }

  /** Returns whether the endpoint accepted the event, and quickly. */
  async #deliver(endpoint: LeasedEndpoint, event: DueEvent): Promise<boolean> {
    const attempt = await this.#attempt(endpoint, event);
    if (attempt.status !== null && attempt.status >= 200 && attempt.status < 300) {
      await this.queue.delivered(endpoint, event, attempt);
      return attempt.ms <= SLOW_MS;
    }
    if (this.#isStopped) return false;
    if (await this.queue.failed(endpoint, event, attempt)) await this.notices.look();
    return false;
  }

  async #attempt(endpoint: LeasedEndpoint, event: DueEvent): Promise<Attempt> {
    const at = new Date();
    const body = eventBody(event);
    let signature: string;
    try {
      signature = this.secrets.sign(endpoint, { id: event.eventId, at, body });
    } catch (error) {
      this.logger.error({ endpoint: endpoint.id, err: error }, 'the secret of a webhook endpoint cannot be read');
      return { status: null, error: 'not_signed', ms: 0 };
    }
    const headers = {
      'webhook-id': event.eventId,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'webhook-signature': signature,
    };
    return await this.sender.send(endpoint.url, headers, body);
  }

  /** Deletes old events, and sends notices that another gateway left. */
  async #tidy(): Promise<void> {
    if (performance.now() < this.#purgedAt + PURGE_MS) return;
    if (await this.queue.purge()) this.#purgedAt = performance.now();
    await this.notices.look();
  }

  /** Until something wakes the loop. */
  async #pause(ms: number): Promise<void> {
    if (this.#isStopped) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #report(error: unknown): void {
    const why = error instanceof Error ? maskedText(error.message) : 'unknown';
    if (!this.#isStopped) this.logger.warn({ why }, "events can't be delivered at the moment");
  }
}
