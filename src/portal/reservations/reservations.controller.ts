import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type OwnApplication, OwnApplications } from '../../auth/own-applications.js';
import { TestClocks } from '../../auth/test-clocks.js';
import { KEYS, type Keys } from '../../config/config.module.js';
import type { Answer } from '../../http/answer.js';
import { RequestLog } from '../../records/request-log.js';
import { reservationMarks } from '../../reservations/reservation-mark.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { noticeOf } from '../shell/notices.js';
import { PageError } from '../shell/page-error.js';
import { Pages } from '../shell/pages.decorator.js';
import { SignedIn, visitorOf } from '../shell/portal.guard.js';
import { chosenIds } from '../usage/chosen-ids.js';
import { OwnReservations, type ReservationDetails } from './own-reservations.js';
import { reservationPage } from './reservation-page.js';
import { cursorOf, reservationFilter, reservationQuery } from './reservation-query.js';
import { reservationsPage } from './reservations-page.js';

const PAGE_SIZE = 50;
const MOST_REQUESTS = 20;
/** A request may be received before its reservation is stored. */
const EARLIER_MS = 60_000;

/** The reservations of the account's applications. */
@Pages('reservations')
@SignedIn()
export class ReservationsPagesController {
  constructor(
    private readonly applications: OwnApplications,
    private readonly reservations: OwnReservations,
    private readonly log: RequestLog,
    private readonly views: HeavyViews,
    private readonly registry: SupplierRegistry,
    private readonly clocks: TestClocks,
    @Inject(KEYS) private readonly keys: Keys,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const query = reservationQuery.parse(given);
    const own = await this.applications.list(visitor.accountId);
    const [ids, after] = [chosenIds(own, query.application), cursorOf(query.before)];
    const read = () => this.reservations.list(ids, reservationFilter(query, Date.now()), after, PAGE_SIZE);
    const found = await this.views.run(visitor.accountId, read);
    const suppliers = this.registry.suppliers.map(({ id, name }) => ({ id, name }));
    return reservationsPage({ visitor, own, query, found, suppliers });
  }

  /** Another account's reservation is treated like an unknown one. */
  @Get(':id')
  async show(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Query('notice') notice: unknown,
  ): Promise<Answer> {
    const visitor = visitorOf(request);
    const own = await this.applications.list(visitor.accountId);
    const read = () => this.#read(chosenIds(own, undefined), id);
    const { found, log } = await this.views.run(visitor.accountId, read);
    const supplier = this.registry.byId(found.supplier)?.name ?? found.supplier;
    const clock = this.#clockOf(found.applicationId, own);
    return reservationPage({ visitor, own, found, log, supplier, clock, notice: noticeOf(notice) });
  }

  /** The test clock of an application; undefined in production. */
  #clockOf(applicationId: string, own: readonly OwnApplication[]) {
    const isSandbox = own.some((one) => one.id === applicationId && one.environment === 'sandbox');
    return isSandbox ? { now: this.clocks.now(applicationId), clock: this.clocks.of(applicationId) } : undefined;
  }

  async #read(ids: readonly string[], id: string) {
    const found: ReservationDetails | undefined = await this.reservations.find(ids, id);
    if (!found) throw new PageError(404, 'None of your applications has this reservation.');
    const filter = { reservation: reservationMarks(this.keys, id), from: found.createdAt - EARLIER_MS };
    return { found, log: await this.log.list([found.applicationId], filter, undefined, MOST_REQUESTS) };
  }
}
