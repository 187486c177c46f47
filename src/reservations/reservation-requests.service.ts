import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { codeOf } from '../offers/resolve-place.js';
import { ApiError } from '../status/api-error.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { IntentJournal } from './intent-journal.js';
import type { Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';
import { reservationMark } from './reservation-mark.js';

/** How a caller identifies a reservation: exactly one of the two must be set. */
export interface ReservationName {
  readonly id: string | undefined;
  readonly confirmationNumber: string | undefined;
}

/**
 * The first steps of each operation on reservations: set the longer budget, enter the scenario, find the reservation.
 */
@Injectable()
export class ReservationRequests {
  readonly #keys: AcceptedKeys;

  constructor(
    private readonly repository: ReservationRepository,
    private readonly registry: SupplierRegistry,
    private readonly journal: IntentJournal,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) private readonly keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /** For what calls a supplier: sets the longer budget of reservations, then enters the scenario. `places` are location codes or ids. */
  async begin(context: RequestContext, places: readonly string[]): Promise<void> {
    context.resetBudget(this.config.reservations.budgetMs);
    await this.enter(context, places);
  }

  /** Enters the request's scenario. `places` as above; none for reads. */
  async enter(context: RequestContext, places: readonly string[] = []): Promise<void> {
    const codes = places.map((place) => codeOf(place, this.#keys));
    enterScenario(context, codes, this.registry.simulated);
    // fault=408: the request times out before anything is sent.
    if (context.scenario?.fault) await new Promise<void>((resolve) => context.onCancel(resolve));
  }

  /** Finds the reservation to change or cancel and calls `begin` with its places. Throws the same errors as `find`. */
  async open(name: ReservationName, context: RequestContext): Promise<Reservation> {
    const reservation = await this.find(name, context);
    const { pickup, dropoff } = reservation.rental;
    await this.begin(context, [pickup.iataCode ?? '', dropoff.iataCode ?? '']);
    return reservation;
  }

  /** Marks the request as one of this reservation, so that operators find it. */
  mark({ trace }: RequestContext, id: string): void {
    if (!trace) return;
    trace.reservation = reservationMark(this.keys, id);
    trace.reservationId = id;
  }

  /**
   * Finds the application's reservation. Throws the same ApiError 404 for another application's reservation and for an
   * unknown one (ruling 14), and 500 for one that the database has lost.
   */
  async find({ id, confirmationNumber }: ReservationName, context: RequestContext): Promise<Reservation> {
    const { applicationId } = context.policy;
    if ((id === undefined) === (confirmationNumber === undefined)) {
      throw ApiError.of(
        'invalid_request',
        'Identify the reservation either by /cars/reservation/v1/{reservation_id} or by ?confirmation_number=, not both.',
      );
    }
    // Only well-formed ids are looked up.
    const possible = id === undefined || /^res_\w{20}$/.test(id);
    if (!possible) throw notFound();
    const found =
      id === undefined
        ? await this.repository.findByConfirmation(applicationId, confirmationNumber ?? '')
        : [await this.repository.find(applicationId, id)];
    const [reservation, another] = found;
    if (another)
      throw ApiError.of(
        'invalid_request',
        'Two suppliers use this confirmation number. Use the reservation_id instead.',
        {
          field: 'confirmation_number',
        },
      );
    if (!reservation && id !== undefined) await this.journal.refuseLostReservation(applicationId, id);
    if (!reservation) throw notFound();
    this.mark(context, reservation.id);
    return reservation;
  }
}

function notFound(): ApiError {
  return ApiError.of(
    'resource_failure',
    'Your application has no such reservation. Check the reservation_id or confirmation_number.',
  );
}
