import { Get, Inject, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Visitor } from '../../accounts/sessions.service.js';
import { CONFIG, type Config, KEYS, type Keys } from '../../config/config.module.js';
import { changeBy } from '../../database/actor.js';
import { recordAudit } from '../../database/audit.js';
import { within } from '../../database/by-index.js';
import type { Database } from '../../database/database.js';
import { DATABASE } from '../../database/database.module.js';
import { databaseFault } from '../../database/database-fault.js';
import type { Answer } from '../../http/answer.js';
import { AllRequests } from '../../records/all-requests.js';
import { FailedExchangeLog } from '../../records/failed-exchange-log.js';
import { RESOLUTIONS, ResolutionRefused, resolveReservation } from '../../reservations/operator-resolution.js';
import type { Reservation } from '../../reservations/reservation.js';
import { ReservationRepository } from '../../reservations/reservation.repository.js';
import { reservationMarks } from '../../reservations/reservation-mark.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import type { FormState } from '../shell/field.js';
import { filterText } from '../shell/filters.js';
import { readSubmitted } from '../shell/form.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { noticeOf } from '../shell/notices.js';
import { seeOther } from '../shell/page.js';
import { PageError } from '../shell/page-error.js';
import { Pages, Submit } from '../shell/pages.decorator.js';
import { ForOperators, visitorOf } from '../shell/portal.guard.js';
import { ReservationList } from './reservation-list.service.js';
import { opsReservationPage, opsReservationsPage } from './reservations-pages.js';
import { reasonField } from './switch-form.js';

const PAGE_SIZE = 100;
const MINUTE_MS = 60_000;
const MOST_FAILURES = 50;
const ID = /^res_\w{1,60}$/;
const LOCKED =
  'Something else is changing this reservation at the moment, such as a request of its application or a gateway that checks it. Nothing was recorded. Wait a few seconds, then send the form again.';
const query = z.object({
  state: filterText,
  supplier: filterText,
  minutes: filterText,
  text: filterText,
  notice: filterText,
});
const resolveForm = z.object({
  to: z.enum(RESOLUTIONS, 'Choose what the supplier says.'),
  number: z
    .string()
    .trim()
    .default('')
    .transform((text) => text || undefined),
  reason: reasonField,
  evidence: reasonField,
});

/** Reservations of all accounts, and their resolution. */
@Pages('ops/reservations')
@ForOperators()
export class OpsReservationsController {
  constructor(
    private readonly reservations: ReservationList,
    private readonly repository: ReservationRepository,
    private readonly requests: AllRequests,
    private readonly failures: FailedExchangeLog,
    private readonly registry: SupplierRegistry,
    private readonly views: HeavyViews,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) private readonly keys: Keys,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Answer> {
    const visitor = visitorOf(request);
    const typed = query.parse(given);
    if (Object.values(typed).every((value) => value === undefined)) typed.state = 'attention';
    const found = await this.views.run(visitor.accountId, () =>
      this.reservations.list({ ...typed, minutes: minutesOf(typed.minutes) }, PAGE_SIZE),
    );
    return opsReservationsPage(visitor, typed, found, this.#frame());
  }

  @Get(':id')
  async show(@Req() request: FastifyRequest, @Param('id') id: string, @Query() given: unknown): Promise<Answer> {
    const { notice } = query.parse(given);
    return await this.#page(visitorOf(request), id, { notice: noticeOf(notice) });
  }

  @Submit(':id/resolve')
  async resolve(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Answer> {
    const visitor = visitorOf(request);
    const form = readSubmitted(request, resolveForm);
    if (!form.ok) return await this.#page(visitor, id, { state: form });
    const refusal = await this.#resolve(visitor, await this.#find(id), form.values);
    if (refusal === undefined) return seeOther(`/ops/reservations/${id}?notice=reservation_resolved`);
    return await this.#page(visitor, id, { state: { typed: form.typed, problems: { form: refusal } } });
  }

  #frame(): { readonly suppliers: readonly string[]; readonly now: number } {
    return { suppliers: this.registry.configured.map(({ id }) => id), now: this.repository.now() };
  }

  /** Records an outcome and its row of the audit log, in one transaction. Returns undefined, or why the outcome was not recorded. */
  async #resolve(
    visitor: Visitor,
    found: Reservation,
    { to, number, reason, evidence }: z.output<typeof resolveForm>,
  ): Promise<string | undefined> {
    const change = { subject: found.id, before: { state: found.state }, after: { state: to, evidence }, reason };
    try {
      await changeBy(this.database, visitor, async (tx) => {
        const repository = new ReservationRepository(within(tx, this.database), this.config, this.keys);
        await resolveReservation(repository, found, { to, confirmationNumber: number, reason });
        await recordAudit(
          { tables: tx, environment: visitor.environment },
          { actor: visitor, action: 'reservation_resolved', ...change },
        );
      });
      return undefined;
    } catch (error) {
      if (databaseFault(error) === 'locked') return LOCKED;
      if (!(error instanceof ResolutionRefused)) throw error;
      return error.message
        .replaceAll('--confirmation-number', 'the confirmation number')
        .replaceAll('--reason', 'the reason')
        .replaceAll('--as ', '');
    }
  }

  async #find(id: string): Promise<Reservation> {
    const found = ID.test(id) ? await this.repository.get(id) : undefined;
    if (!found) throw new PageError(404, 'There is no reservation with this id.');
    return found;
  }

  async #page(
    visitor: Visitor,
    id: string,
    shown: { readonly notice?: string | undefined; readonly state?: FormState },
  ): Promise<Answer> {
    const { personal: _hidden, ...found } = await this.#find(id);
    const { applicationId, createdAt } = found;
    const filter = { applicationId, from: createdAt - MINUTE_MS, reservation: reservationMarks(this.keys, id) };
    const requests = await this.views.run(visitor.accountId, () => this.requests.list(filter, PAGE_SIZE));
    const requestIds = requests.map(({ requestId }) => requestId);
    const failures = await this.failures.ofReservation(id, requestIds, MOST_FAILURES);
    return opsReservationPage(visitor, found, { requests, failures }, shown);
  }
}

function minutesOf(text: string | undefined): number | undefined {
  return /^\d{1,7}$/.test(text ?? '') ? Number(text) : undefined;
}
