import { changeMove } from './change-outcome.js';
import { isTaken } from './confirmation-numbers.js';
import { type Change, type Move, moved, type Patch, type Reservation } from './reservation.js';
import type { ReservationRepository } from './reservation.repository.js';
import type { State } from './states.js';
import { isNumber } from './supplier-outcome.js';

/** What an operator may find out about a reservation. `changed`: the change in doubt was made; `confirmed`: booked, and it was not. */
export const RESOLUTIONS = ['confirmed', 'changed', 'failed', 'cancelled'] as const;

/** The outcome of a reservation, as an operator learned it from the supplier. */
export interface Resolution {
  readonly to: (typeof RESOLUTIONS)[number];
  /** The supplier's; required for `confirmed` unless the reservation has one. */
  readonly confirmationNumber: string | undefined;
  /** Shown to the caller in the history. */
  readonly reason: string;
}

/** An outcome was not recorded. The message says why, for the operator. */
export class ResolutionRefused extends Error {}

/**
 * Records the outcome of a reservation in manual_review, or that a confirmed one was cancelled by phone. Throws
 * ResolutionRefused if that is not possible; rejects with the driver's error if the database is unavailable.
 */
export async function resolveReservation(
  repository: ReservationRepository,
  found: Reservation,
  { to, confirmationNumber, reason }: Resolution,
): Promise<void> {
  const { id, state } = found;
  const byPhone = state === 'confirmed' && to === 'cancelled';
  if (state !== 'manual_review' && !byPhone)
    throw new ResolutionRefused(
      `${id} is ${state}: only reservations in manual_review can be resolved, and confirmed ones --as cancelled`,
    );
  if (confirmationNumber !== undefined && !isNumber(confirmationNumber))
    throw new ResolutionRefused('--confirmation-number must be 1 to 64 printable characters');
  checkReason(reason);
  if (to === 'confirmed' && (confirmationNumber ?? found.confirmationNumber) === undefined)
    throw new ResolutionRefused(
      "--as confirmed requires --confirmation-number: without it, the booking can't be found or cancelled",
    );
  const { change } = found;
  if (to === 'changed' && !change)
    throw new ResolutionRefused(`no change of ${id} is in doubt: only such a reservation can be resolved --as changed`);
  const patch = {
    ...(confirmationNumber === undefined ? {} : { confirmationNumber }),
    ...(to === 'changed' && change ? madeChange(found, change) : {}),
    nextCheckAt: undefined,
    change: undefined,
  };
  // A confirmed reservation is cancelled by its supplier's answer only, so an operator's word needs a review.
  const before = byPhone ? await storeMove(repository, found, 'manual_review', reason, patch) : found;
  await storeMove(repository, before, to === 'changed' ? 'confirmed' : to, reason, patch);
}

/**
 * Has the gateways cancel the booking of a reservation in manual_review at its supplier. A change in doubt stays so: the supplier may
 * refuse the cancellation. Throws ResolutionRefused if that is not possible.
 */
export async function cancelInReview(
  repository: ReservationRepository,
  found: Reservation,
  reason: string,
): Promise<void> {
  const { id, state, confirmationNumber } = found;
  if (state !== 'manual_review')
    throw new ResolutionRefused(`${id} is ${state}: only reservations in manual_review can be cancelled here`);
  if (confirmationNumber === undefined)
    throw new ResolutionRefused(`${id} has no confirmation number: ask the supplier, then use \`resolve\``);
  const at = repository.now();
  await storeMove(repository, found, 'cancel_unknown', reason, { nextCheckAt: at, sentUntil: at, checks: 0 });
}

/** What a change sets that an operator knows to be made, as if the supplier had confirmed it. What was erased meanwhile stays erased. */
function madeChange(reservation: Reservation, change: Change): Patch {
  const { personal, ...patch } =
    changeMove({ kind: 'done', result: { status: 'confirmed', ref: {} } }, reservation, change, 0, 0).patch ?? {};
  return { ...patch, ...(reservation.personal && personal && { personal }) };
}

/** Throws ResolutionRefused for a reason that can't be shown to the caller. */
export function checkReason(reason: string): void {
  if (!/^[\x20-\x7e\u00a0-\uffff]{3,200}$/.test(reason))
    throw new ResolutionRefused('--reason must be 3 to 200 printable characters, because it is shown to the caller');
}

/** Stores an operator's move; returns the reservation after it. Throws ResolutionRefused if it changed in the meantime, or another one has its number. */
export async function storeMove(
  repository: ReservationRepository,
  before: Reservation,
  to: State,
  reason: string,
  patch: NonNullable<Move['patch']>,
): Promise<Reservation> {
  const after = moved(before, { to, actor: 'ops', reason, at: repository.now(), patch });
  const stored = await repository.update(after, patch).catch((error: unknown) => {
    if (!isTaken(error)) throw error;
    throw new ResolutionRefused('another reservation has this confirmation number', { cause: error });
  });
  if (!stored) throw new ResolutionRefused(`${before.id} has changed in the meantime: run the command again`);
  return after;
}
