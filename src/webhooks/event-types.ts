/** Every event type with its meaning, for the API description and docs/webhooks.md. New ones may be added. */
export const EVENT_TYPES = {
  'reservation.created': 'A booking was accepted and is being sent to the supplier.',
  'reservation.confirmed': 'The supplier confirmed the booking.',
  'reservation.on_request': 'The supplier must accept the booking manually.',
  'reservation.rejected': 'The supplier did not accept a booking on request.',
  'reservation.expired': 'A booking on request was not accepted before the pickup.',
  'reservation.completed': 'The car was returned, by the test clock of a sandbox application.',
  'reservation.no_show': 'The renter did not pick up the car, by the test clock of a sandbox application.',
  'reservation.failed': 'Nothing is booked.',
  'reservation.changed': 'The supplier made a requested change.',
  'reservation.change_refused': 'The supplier refused a requested change. The reservation is as before.',
  'reservation.cancelled': 'The booking is cancelled.',
  'reservation.cancellation_refused': 'The supplier refused the cancellation. The reservation is as before.',
  'reservation.review_opened': 'The outcome could not be determined: an operator is asked to.',
  'reservation.review_resolved': 'An operator determined the outcome, which state says.',
  'reservation.late_booking_found': 'The supplier shows a booking that was given up, or a further one.',
  'reservation.price_drift': 'The supplier confirmed another total than was accepted.',
  'product.deprecated': 'A version of a product that the application is subscribed to is deprecated.',
} as const;

/** A type of event that an endpoint can choose. */
export type EventType = keyof typeof EVENT_TYPES;

/** All of them, in the order of EVENT_TYPES. */
export const EVENT_TYPE_NAMES = Object.keys(EVENT_TYPES) as [EventType, ...EventType[]];

/** Sent on request only, to one endpoint, whatever types it chose. */
export const TEST_EVENT = 'webhook.test';
