import { z } from 'zod';
import { statusWire } from '../status/status.wire.js';
import { DELIVERY_STATES, type DeliveryRow } from './delivery-log.js';
import type { Endpoint } from './endpoint-store.js';
import { ATTEMPT_ERRORS, type AttemptError } from './webhook-sender.js';

const instant = z.iso.datetime();

const endpointShape = {
  endpoint_id: z.string(),
  url: z.string(),
  events: z.array(z.string()).nullable().describe('null: all types.'),
  description: z.string().optional(),
  state: z
    .enum(['active', 'disabled', 'suspended'])
    .describe(
      'disabled: by you, events are not kept. suspended: by the gateway, after 72 hours without success; events are kept.',
    ),
  failing_since: instant.optional().describe('The first of the failed attempts since the last success.'),
  previous_secret_until: instant.optional().describe('Until then, the secret before signs as well.'),
  created_at: instant,
};

/** An endpoint. */
export const endpointWire = z.strictObject(endpointShape).meta({ id: 'WebhookEndpoint' });
const secretWire = z
  .strictObject({ ...endpointShape, secret: z.string().describe('Verifies signatures. Shown only in this response.') })
  .meta({ id: 'WebhookEndpointWithSecret' });

/** An event at an endpoint. */
export const deliveryWire = z
  .strictObject({
    event_id: z.string().describe('The header webhook-id.'),
    type: z.string(),
    subject: z.string().describe('What it is about: a reservation, product or endpoint.'),
    at: instant,
    state: z.enum(DELIVERY_STATES),
    attempts: z.int().min(0),
    last_attempt: z
      .strictObject({
        at: instant,
        status: z.int().optional().describe('HTTP status of the response.'),
        error: z
          .string()
          .optional()
          .describe(
            Object.entries(ATTEMPT_ERRORS)
              .map(([name, meaning]) => `${name}: ${meaning}`)
              .join('; '),
          ),
        duration_ms: z.int(),
      })
      .optional(),
    next_attempt_at: instant.optional().describe('If the event is pending: not before then.'),
  })
  .meta({ id: 'WebhookDelivery' });

const status = statusWire;
export const endpointAnswer = z.strictObject({ status, endpoint: endpointWire }).meta({ id: 'WebhookEndpointAnswer' });
export const secretAnswer = z.strictObject({ status, endpoint: secretWire }).meta({ id: 'WebhookSecretAnswer' });
export const endpointsAnswer = z
  .strictObject({ status, endpoints: z.array(endpointWire) })
  .meta({ id: 'WebhookEndpointsAnswer' });
export const deliveriesAnswer = z
  .strictObject({ status, deliveries: z.array(deliveryWire) })
  .meta({ id: 'WebhookDeliveriesAnswer' });
export const queuedAnswer = z
  .strictObject({ status, queued: z.int().describe('How many events will be sent.'), event_id: z.string().optional() })
  .meta({ id: 'WebhookQueuedAnswer' });

/** An endpoint on the wire. */
export function endpointView(endpoint: Endpoint): z.infer<typeof endpointWire> {
  const { failingSince, previousUntil } = endpoint;
  const isOverlapping = previousUntil !== null && previousUntil.getTime() > Date.now();
  return {
    endpoint_id: endpoint.id,
    url: endpoint.url,
    events: endpoint.events,
    ...(endpoint.description === '' ? {} : { description: endpoint.description }),
    state: endpoint.state as 'active' | 'disabled' | 'suspended',
    ...(failingSince === null ? {} : { failing_since: failingSince.toISOString() }),
    ...(isOverlapping ? { previous_secret_until: previousUntil.toISOString() } : {}),
    created_at: endpoint.createdAt.toISOString(),
  };
}

/** A delivery on the wire. */
export function deliveryView(row: DeliveryRow): z.infer<typeof deliveryWire> {
  const { lastAt, lastStatus, lastError, lastMs } = row;
  const iso = (at: number) => new Date(at).toISOString();
  return {
    event_id: row.eventId,
    type: row.type,
    subject: row.subject,
    at: iso(row.at),
    state: row.state,
    attempts: row.attempts,
    ...(lastAt === null
      ? {}
      : {
          last_attempt: {
            at: iso(lastAt),
            ...(lastStatus === null ? {} : { status: lastStatus }),
            ...(lastError === null ? {} : { error: lastError as AttemptError }),
            duration_ms: lastMs ?? 0,
          },
        }),
    ...(row.state === 'pending' ? { next_attempt_at: iso(row.nextAt) } : {}),
  };
}
