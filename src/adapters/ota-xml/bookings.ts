import type { BookingKey, BookRequest } from '../../model/bookings.js';
import { unlessShown } from '../../model/contradicted-refusal.js';
import {
  type SupplierAdapter,
  type SupplierContext,
  SupplierError,
  type SupplierHttpAnswer,
} from '../../model/supplier.js';
import { Warnings } from '../../model/warnings.js';
import { formerNumbersOf } from './booking-mapping.js';
import { bookedOf, cancelledOf, modifiedOf, showsBooked, showsCancelled, showsModified } from './booking-outcome.js';
import { type BookingReply, readBookingReply, throwFailure } from './booking-reply.js';
import {
  bookMessage,
  cancelMessage,
  modifyMessage,
  retrieveByNumberMessage,
  retrieveByRenterMessage,
} from './booking-requests.js';
import { judgeEmpty, NO_PRICE } from './empty-answers.js';
import type { RequestSetting } from './message.js';
import { hasPrice, mapRateRule, rateRuleRequest } from './price-check.js';
import { loyaltyPrograms } from './rental.js';
import { contentOf } from './reply.js';
import { retrieveBookings } from './retrieval.js';
import type { XmlNode } from './wire.js';

/** Posts a body to a path of the supplier; only a call that changes nothing may be repeated. */
export type Post = (
  path: string,
  body: string,
  context: SupplierContext,
  repeatable: boolean,
) => Promise<SupplierHttpAnswer>;

type BookingOperations = Required<Pick<SupplierAdapter, 'priceCheck' | 'book' | 'retrieve' | 'cancel' | 'booking'>> &
  Pick<SupplierAdapter, 'modify'>;

/**
 * All operations of the ota-xml dialect from the price check to the cancellation (docs/trade.md#ota-messages); without
 * `modify` if the supplier changes nothing.
 */
export function bookingOperations(setting: RequestSetting, post: Post): BookingOperations {
  const { options } = setting;

  const { errorCodes } = options;

  async function ask(message: string, body: string, context: SupplierContext): Promise<BookingReply> {
    const answer = await post(options.paths.bookings, body, context, true);
    return readBookingReply(answer, { message, isWrite: false, errorCodes });
  }

  /** Sends a message that books, changes or cancels, once. Its refusal is in doubt if the answer also `shows` what was refused. */
  async function write<T>(
    message: string,
    body: string,
    context: SupplierContext,
    read: (reply: BookingReply) => T,
    shows: (root: XmlNode) => boolean,
  ): Promise<T> {
    const answer = await post(options.paths.bookings, body, context, false);
    return unlessShown(
      () => read(readBookingReply(answer, { message, isWrite: true, errorCodes })),
      () => shows(contentOf(answer)),
    );
  }

  const modify: SupplierAdapter['modify'] = async (request, context) => {
    refuseWithoutMembership(request);
    return write(
      'OTA_VehModifyRS',
      modifyMessage(request, context, setting),
      context,
      (reply) => modifiedOf(reply, request, options),
      (root) => showsModified(root, request, options),
    );
  };

  return {
    booking: {
      findsByReference: options.repeatsReference,
      takesCards: options.takes.includes('cards'),
      takesVouchers: options.takes.includes('vouchers'),
      takesExtras: options.takes.includes('extras'),
      takesCoverages: options.takes.includes('coverages'),
      takesAdditionalDrivers: true,
      takesLatePickup: true,
      changes: options.changes,
    },

    async priceCheck(request, context) {
      const reply = await ask('OTA_VehRateRuleRS', rateRuleRequest(request, context, setting), context);
      const { root, success, hasErrors, failure } = reply;
      const warnings = new Warnings();
      for (const text of reply.warnings) warnings.add('notice', text);
      if (hasPrice(root) && !hasErrors) {
        const offer = mapRateRule(root, request, setting, warnings);
        return { items: offer ? [offer] : [], warnings: warnings.list };
      }
      const isGone = failure?.reasons.size === 1 && failure.reasons.has('no_results');
      if (failure && !isGone) throwFailure(failure);
      if (!failure && !success)
        throw new SupplierError('bad_payload', 'OTA_VehRateRuleRS has neither Success nor Errors nor data');
      if (!failure) judgeEmpty(root, NO_PRICE, options.namespace, warnings);
      return { items: [], warnings: warnings.list };
    },

    async book(request, context) {
      refuseWithoutMembership(request);
      return write(
        'OTA_VehResRS',
        bookMessage(request, context, setting),
        context,
        (reply) => bookedOf(reply, request, options),
        (root) => showsBooked(root, request, options),
      );
    },

    retrieve(key, context) {
      const find = (body: string) => ask('OTA_VehRetResRS', body, context);
      const calls = {
        byNumber: (confirmationNumber: string) =>
          find(retrieveByNumberMessage(key, confirmationNumber, context, setting)),
        byRenter: () => find(retrieveByRenterMessage(key, context, setting)),
      };
      return retrieveBookings(key, calls, options);
    },

    ...(options.changes.length > 0 && { modify }),

    async cancel(key, context) {
      const number = numberOf(key);
      const called = { number, former: formerNumbersOf(key.ref) };
      return write(
        'OTA_VehCancelRS',
        cancelMessage(key, number, context, setting),
        context,
        (reply) => cancelledOf(reply, called, options, { now: context.now, pickup: key.pickup }),
        (root) => showsCancelled(root, called, options),
      );
    },
  };
}

/** The dialect can cancel only by number. */
function numberOf({ confirmationNumber }: BookingKey): string {
  if (confirmationNumber !== undefined) return confirmationNumber;
  throw new SupplierError('rejected', 'a booking cannot be cancelled without its confirmation number', false);
}

/** A rate for members of a program can't be booked for a driver without a membership of it. */
function refuseWithoutMembership({ ref, driver }: BookRequest): void {
  const has = (program: string) => driver.loyalty.some((one) => one.program?.toLowerCase() === program.toLowerCase());
  if (!loyaltyPrograms(ref).every(has))
    throw new SupplierError('rejected', 'the driver is not a member of the program of this rate', false, {
      refusal: 'not_eligible',
    });
}
