import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.module.js';
import { TurnMissedError } from '../config/turns.js';
import type { RequestContext } from '../context/request-context.js';
import { TooManyChangesError } from '../database/actor.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { DeliveryLog, type DeliveryRow, MOST_REPLAYED } from './delivery-log.js';
import {
  type Endpoint,
  type EndpointRefusal,
  EndpointStore,
  MOST_ENDPOINTS,
  TEST_SECONDS,
  type WithSecret,
} from './endpoint-store.js';
import { urlProblem } from './endpoint-url.js';
import { allowsLoopback } from './webhook-sender.js';
import type { ChangeEndpointBody, CreateEndpointBody, DeliveriesQuery, ReplayBody } from './webhooks.schema.js';

/** Only well-formed ids are looked up. */
const ENDPOINT_ID = /^whe_[0-9a-f]{24}$/;
/** Retry-After of a call whose turn did not come. */
const TURN_SECONDS = 2;
/** Events that the applications of an account may replay together: one call makes the gateway send many. */
const REPLAYED = { perMinute: MOST_REPLAYED, burst: MOST_REPLAYED };

/**
 * The endpoints of the calling application. Throws ApiError: the same 404 for another application's endpoint or event and
 * for an unknown one, and 400 for what can't be stored.
 */
@Injectable()
export class EndpointsService {
  readonly #allowsLoopback: boolean;

  constructor(
    private readonly endpoints: EndpointStore,
    private readonly log: DeliveryLog,
    @Inject(CONFIG) config: Config,
    @Inject(DATABASE) private readonly database: Pick<Database, 'reports'>,
    @Inject(STORE) private readonly store: Pick<Store, 'take'>,
  ) {
    this.#allowsLoopback = allowsLoopback(config);
  }

  /** Oldest first. */
  async list({ policy }: RequestContext): Promise<readonly Endpoint[]> {
    return await this.endpoints.list(policy.applicationId);
  }

  async find(id: string, { policy }: RequestContext): Promise<Endpoint> {
    return found(ENDPOINT_ID.test(id) ? await this.endpoints.find(policy.applicationId, id) : undefined);
  }

  async create(body: CreateEndpointBody, context: RequestContext): Promise<WithSecret> {
    const { policy } = context;
    this.#checkUrl(body.url);
    const settings = {
      url: body.url,
      events: body.events ?? null,
      description: body.description ?? '',
      state: 'active' as const,
    };
    const make = () => this.endpoints.create(policy, settings, policy.applicationId);
    return accepted(await this.#inTurn(context, make));
  }

  async change(id: string, body: ChangeEndpointBody, context: RequestContext): Promise<Endpoint> {
    const { applicationId } = context.policy;
    await this.find(id, context);
    if (body.url !== undefined) this.#checkUrl(body.url);
    const settings = {
      ...(body.url === undefined ? {} : { url: body.url }),
      ...(body.events === undefined ? {} : { events: body.events }),
      ...(body.description === undefined ? {} : { description: body.description ?? '' }),
      ...(body.state === undefined ? {} : { state: body.state }),
    };
    const change = () => this.endpoints.change(applicationId, id, settings, applicationId);
    return accepted(found(await this.#inTurn(context, change)));
  }

  async remove(id: string, context: RequestContext): Promise<void> {
    const { applicationId } = context.policy;
    const { id: known } = await this.find(id, context);
    const remove = () => this.endpoints.remove(applicationId, known, applicationId);
    found((await this.#inTurn(context, remove)) || undefined);
  }

  async rotate(id: string, overlapHours: number, context: RequestContext): Promise<WithSecret> {
    const { applicationId } = context.policy;
    const { id: known } = await this.find(id, context);
    const rotate = () => this.endpoints.rotate(applicationId, known, overlapHours, applicationId);
    return found(await this.#inTurn(context, rotate));
  }

  /** Returns the id of the event. Throws ApiError 429 if the endpoint had a test event a moment ago. */
  async test(id: string, context: RequestContext): Promise<string> {
    const eventId = await this.endpoints.test(active(await this.find(id, context)));
    if (eventId !== undefined) return eventId;
    const details = `An endpoint can have a test event every ${TEST_SECONDS} seconds.`;
    throw throttled(TEST_SECONDS, details, 'Wait, and list its events in the meantime.');
  }

  /** Newest first. */
  async deliveries(id: string, query: DeliveriesQuery, context: RequestContext): Promise<readonly DeliveryRow[]> {
    const { id: known } = await this.find(id, context);
    return await this.#inTurn(context, () => this.log.list(known, query));
  }

  /** Returns how many events are sent again. Throws ApiError 429 if the account replayed too many in the last minute. */
  async replay(id: string, { event_id: eventId, since }: ReplayBody, context: RequestContext): Promise<number> {
    const { id: known } = active(await this.find(id, context));
    return await this.#inTurn(context, async () => {
      const count = since === undefined ? 1 : await this.log.countSince(known, since);
      if (count === 0) return 0;
      await this.#charge(count, context);
      if (since !== undefined) return await this.log.replaySince(known, since, count);
      if (await this.log.replay(known, eventId ?? '')) return 1;
      const details = `The endpoint has no such event. Events are kept for 14 days; list them to see their ids (at most ${MOST_REPLAYED} are replayed by since).`;
      throw ApiError.of('resource_failure', details, { field: 'event_id' });
    });
  }

  async #charge(events: number, { policy: { accountId } }: RequestContext): Promise<void> {
    const { allowed, retryAfterSeconds } = await this.store.take('webhook-replays', REPLAYED, events, accountId);
    if (allowed) return;
    const limit = `Your account can replay ${MOST_REPLAYED.toLocaleString('en-US')} events per minute`;
    throw throttled(retryAfterSeconds, `${limit}; these are ${events}.`);
  }

  /**
   * An account changes its endpoints, and lists and replays their events, one request at a time. Throws ApiError: 429 if the turn
   * doesn't come, or if the application made too many changes; 401 if the token was revoked meanwhile.
   */
  async #inTurn<T>(context: RequestContext, work: () => Promise<T>): Promise<T> {
    try {
      return await context.inTurn(this.database.reports.turns, work);
    } catch (error) {
      if (error instanceof TooManyChangesError) throw throttled(error.retryAfterSeconds, error.message);
      if (!(error instanceof TurnMissedError)) throw error;
      const details = 'Your account waits for other requests about its webhooks.';
      throw throttled(TURN_SECONDS, details, 'Send one of these requests after the other.');
    }
  }

  #checkUrl(url: string): void {
    const problem = urlProblem(url, this.#allowsLoopback);
    if (problem !== undefined) throw ApiError.of('invalid_format', `"url" ${problem}`, { field: 'url' });
  }
}

function found<T>(value: T | undefined): T {
  if (value !== undefined) return value;
  throw ApiError.of('resource_failure', 'Your application has no such endpoint. Check the endpoint_id.');
}

function active(endpoint: Endpoint): Endpoint {
  if (endpoint.state === 'active') return endpoint;
  const details = `The endpoint is ${endpoint.state}: nothing is sent to it. Set its state to active first.`;
  throw ApiError.of('invalid_request', details, { field: 'endpoint_id' });
}

function accepted<T extends object>(stored: T | EndpointRefusal): T {
  if (typeof stored === 'object') return stored;
  if (stored === 'url_taken') {
    const details = 'Another endpoint of your application has this URL. Change that one, or use another URL.';
    throw ApiError.of('invalid_request', details, { field: 'url' });
  }
  const details = `An application can have at most ${MOST_ENDPOINTS} endpoints. Delete one first.`;
  throw ApiError.of('invalid_request', details);
}
