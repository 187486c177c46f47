import type { KeyObject } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { codeOf } from '../offers/resolve-place.js';
import { ApiError } from '../status/api-error.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import type { Reservation } from './reservation.js';
import { ReservationRepository } from './reservation.repository.js';

/** How a caller names a reservation: by exactly one of both. */
export interface ReservationName {
  readonly id: string | undefined;
  readonly confirmationNumber: string | undefined;
}

/** What the operations on reservations begin with: the longer budget, the scenario, and the reservation that is meant. */
@Injectable()
export class ReservationRequests {
  readonly #key: KeyObject;

  constructor(
    private readonly repository: ReservationRepository,
    private readonly registry: SupplierRegistry,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#key = keys('offer_id');
  }

  /** Gives the request the longer budget of reservations, then enters its scenario. `places` are codes or ids of locations. */
  async begin(context: RequestContext, places: readonly string[]): Promise<void> {
    context.resetBudget(this.config.reservations.budgetMs);
    const codes = places.map((place) => codeOf(place, this.#key));
    enterScenario(context, codes, this.registry.simulated);
    // fault=408: the time really runs out, before anything is sent.
    if (context.scenario?.fault) await new Promise<void>((resolve) => context.onCancel(resolve));
  }

  /** Finds the reservation to change or cancel and begins with its places. Throws as `find` does. */
  async open(name: ReservationName, context: RequestContext): Promise<Reservation> {
    const reservation = await this.find(name, context);
    const { pickup, dropoff } = reservation.rental;
    await this.begin(context, [pickup.iataCode ?? '', dropoff.iataCode ?? '']);
    return reservation;
  }

  /** The application's reservation. Throws ApiError 404, the same for another application's and for one that never was (ruling 14). */
  async find({ id, confirmationNumber }: ReservationName, context: RequestContext): Promise<Reservation> {
    const { applicationId } = context.policy;
    if ((id === undefined) === (confirmationNumber === undefined)) {
      throw ApiError.of(
        'invalid_request',
        'Name one reservation: /cars/reservation/v1/{reservation_id}, or ?confirmation_number= without an id.',
      );
    }
    // Only what can be an id of ours is looked up.
    const possible = id === undefined || /^res_\w{20}$/.test(id);
    if (!possible) throw notYours();
    const found =
      id === undefined
        ? await this.repository.findByConfirmation(applicationId, confirmationNumber ?? '')
        : [await this.repository.find(applicationId, id)];
    const [reservation, another] = found;
    if (another)
      throw ApiError.of('invalid_request', 'Two suppliers gave this confirmation number: use the reservation_id.', {
        field: 'confirmation_number',
      });
    if (!reservation) throw notYours();
    return reservation;
  }
}

function notYours(): ApiError {
  return ApiError.of('resource_failure', 'Your application has no such reservation.');
}
