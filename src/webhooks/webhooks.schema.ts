import { z } from 'zod';
import { instant, integer, queryInteger, text } from '../http/fields.js';
import { DELIVERY_STATES } from './delivery-log.js';
import { LONGEST_URL, urlProblem } from './endpoint-url.js';
import { EVENT_TYPE_NAMES, TEST_EVENT } from './event-types.js';

const ALLOWED = EVENT_TYPE_NAMES.join(', ');
const error = `must be one of ${ALLOWED}.`;
const MOST_HOURS = 168;

/** A URL that may be an endpoint of some gateway; EndpointsService knows whether of this one. */
const url = z
  .string()
  .max(LONGEST_URL, { error: `must have at most ${LONGEST_URL} characters.` })
  .superRefine((value, context) => {
    const message = urlProblem(value, true);
    if (message !== undefined) context.addIssue({ code: 'custom', message, params: { reason: 'invalid_format' } });
  })
  .describe('Where events are sent: https, on the public internet; in a local sandbox also a loopback address.');

const events = z
  .array(z.enum(EVENT_TYPE_NAMES, { error }))
  .min(1, { error: 'must have at least one type; omit it for all types.' })
  .max(EVENT_TYPE_NAMES.length, { error: `must have at most ${EVENT_TYPE_NAMES.length} types.` })
  .refine((types) => new Set(types).size === types.length, { error: 'must not repeat a type.' })
  .nullable()
  .describe('The types of events to send. null: all, also types that are added later.');

const description = text(200).describe('For your own use.');

/** Body of POST /cars/webhooks/v1/endpoints. */
export const createEndpointBody = z.strictObject({
  url,
  events: events.optional().describe('The types of events to send. Default: all, also types that are added later.'),
  description: description.optional(),
});
export type CreateEndpointBody = z.output<typeof createEndpointBody>;

/** Body of PATCH …/endpoints/{endpoint_id}. */
export const changeEndpointBody = z
  .strictObject({
    url: url.optional(),
    events: events.optional(),
    description: description.nullable().optional(),
    state: z
      .enum(['active', 'disabled'], { error: 'must be active or disabled.' })
      .optional()
      .describe('active: also ends a suspension, and sends the events that wait.'),
  })
  .refine((body) => Object.keys(body).length > 0, {
    error: 'Send at least one of url, events, description and state.',
    params: { reason: 'invalid_request' },
  });
export type ChangeEndpointBody = z.output<typeof changeEndpointBody>;

/** Body of POST …/secret. */
export const rotateBody = z.strictObject({
  overlap_hours: integer(0, MOST_HOURS)
    .default(24)
    .describe('How long the secret before signs as well. 0: it ends now, as after a leak.'),
});
export type RotateBody = z.output<typeof rotateBody>;

const eventId = z.string().regex(/^evt_[0-9a-f]{32}$/, { error: 'must be the id of an event, evt_ and 32 digits.' });

/** Body of POST …/replay. */
export const replayBody = z
  .strictObject({
    event_id: eventId.optional().describe('Replays this event.'),
    since: instant.optional().describe('Replays the events since then that were delivered or given up.'),
  })
  .superRefine(({ event_id: one, since }, context) => {
    const message =
      one === undefined && since === undefined
        ? 'Send either event_id or since.'
        : one !== undefined && since !== undefined
          ? 'event_id and since exclude each other: send one of them.'
          : undefined;
    if (message !== undefined)
      context.addIssue({ code: 'custom', message, path: ['event_id'], params: { reason: 'invalid_request' } });
  });
export type ReplayBody = z.output<typeof replayBody>;

/** Query of GET …/deliveries. */
export const deliveriesQuery = z.strictObject({
  limit: queryInteger(1, 100).default(50).describe('How many events, newest first.'),
  before: eventId.optional().describe('Only events older than this one: the last of the previous page.'),
  state: z
    .enum(DELIVERY_STATES, { error: `must be one of ${DELIVERY_STATES.join(', ')}.` })
    .optional()
    .describe('pending: it waits or is retried; failed: given up after 72 hours.'),
  type: z.enum([...EVENT_TYPE_NAMES, TEST_EVENT], { error: `must be one of ${ALLOWED}, ${TEST_EVENT}.` }).optional(),
});
export type DeliveriesQuery = z.output<typeof deliveriesQuery>;

/** For operations without query parameters. */
export const noQuery = z.strictObject({});
export type NoQuery = z.output<typeof noQuery>;

/** Body of POST …/test: {}. */
export const testBody = z.strictObject({});
export type TestBody = z.output<typeof testBody>;
