import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Visitor } from '../../accounts/sessions.service.js';
import { type OwnApplication, OwnApplications } from '../../auth/own-applications.js';
import { CONFIG, type Config, KEYS, type Keys } from '../../config/config.module.js';
import { Answer } from '../../http/answer.js';
import { ErrorGroups, type ErrorSummary } from '../../records/error-groups.js';
import { RequestLog } from '../../records/request-log.js';
import type { RequestRecord } from '../../records/request-record.js';
import { reservationMarks } from '../../reservations/reservation-mark.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { OwnReservations } from '../reservations/own-reservations.js';
import { filteredPath } from '../shell/filters.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { livePart } from '../shell/live-part.js';
import { Pages } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { chosenIds } from './chosen-ids.js';
import { explainPage } from './explain-page.js';
import { type LogsView, logPart, logsPage, sameIdPage } from './logs-page.js';
import { cursorOf, explainQuery, filterOf, isGrouped, logsQuery } from './logs-query.js';
import { notKeptPage } from './not-kept-page.js';

const PAGE_SIZE = 50;
const MOST_GROUPS = 6;

/** How often the live tail is read. */
const TAIL_MS = 2_000;

/** The request log of the account's applications, and the page that explains one request. */
@Pages('logs')
@SignedIn()
export class LogsController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly log: RequestLog,
    private readonly errors: ErrorGroups,
    private readonly views: HeavyViews,
    private readonly registry: SupplierRegistry,
    private readonly reservations: OwnReservations,
    @Inject(KEYS) private readonly keys: Keys,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const view = await this.#view(request, given);
    return logsPage({ ...view, errors: await this.#errors(view) });
  }

  @Get('events')
  async events(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    return livePart(logPart(await this.#view(request, given)), TAIL_MS);
  }

  /** Another account's request is treated like an unknown one. */
  @Get(':id')
  async explain(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const { at, again } = explainQuery.parse(given);
    const visitor = visitorOf(request);
    const own = await this.applications.list(visitor.accountId);
    const found = await this.views.run(visitor.accountId, () => this.log.find(chosenIds(own, undefined), id));
    const record = found.find((one) => String(one.at) === at) ?? found[0];
    if (!record) return notKeptPage(visitor, id, again, this.config.records);
    if (found.length > 1 && String(record.at) !== at) return sameIdPage(visitor, own, found);
    return await this.#explained(visitor, own, record);
  }

  async #explained(visitor: Visitor, own: readonly OwnApplication[], record: RequestRecord): Promise<Answer> {
    const { reservation: mark } = record.trace;
    const isMarked = (id: string) => reservationMarks(this.keys, id).some((own) => own === mark);
    const read = () => this.reservations.marked(record.applicationId, isMarked);
    const reservation = mark === undefined ? undefined : await this.views.run(visitor.accountId, read);
    return explainPage(
      { visitor, own, record, reservation },
      (supplier) => this.registry.byId(supplier)?.name ?? supplier,
    );
  }

  async #view(request: FastifyRequest, given: unknown): Promise<LogsView> {
    const visitor = visitorOf(request);
    const query = logsQuery.parse(given);
    const own = await this.applications.list(visitor.accountId);
    const found = await this.views.run(visitor.accountId, () =>
      this.log.list(
        chosenIds(own, query.application),
        filterOf(query, (id) => reservationMarks(this.keys, id)),
        cursorOf(query.before),
        PAGE_SIZE,
      ),
    );
    const suppliers = this.registry.suppliers.map(({ id, name }) => ({ id, name }));
    return { visitor, own, query, found, errors: undefined, suppliers, records: this.config.records };
  }

  /** For the first page only; undefined if the log is filtered by what errors aren't. */
  async #errors({ visitor, own, query }: LogsView): Promise<ErrorSummary | undefined> {
    if (!isGrouped(query)) return undefined;
    const ids = chosenIds(own, query.application);
    return await this.views.run(visitor.accountId, () => this.errors.read(ids, filterOf(query), MOST_GROUPS));
  }
}

/** The log's address before it was renamed. */
@Pages('requests')
export class OldLogsController {
  @Get()
  list(@Query() given: unknown): Answer {
    return moved(filteredPath('/logs', logsQuery.parse(given)));
  }

  @Get(':id')
  explain(@Param('id') id: string, @Query() given: unknown): Answer {
    const { at } = explainQuery.parse(given);
    return moved(filteredPath(`/logs/${encodeURIComponent(id)}`, { at }));
  }
}

function moved(location: string): Answer {
  return new Answer(308, '', { location, 'cache-control': 'no-store', 'content-type': 'text/plain' });
}
