import { z } from 'zod';
import { ApiError } from '../../status/api-error.js';
import { DELIVERY_STATES, DeliveryLog } from '../../webhooks/delivery-log.js';
import { EndpointStore } from '../../webhooks/endpoint-store.js';
import { EVENT_TYPE_NAMES } from '../../webhooks/event-types.js';
import { WebhookSecrets } from '../../webhooks/webhook-secrets.js';
import { type AdminOperation, changes, lists, reads } from '../admin-operation.js';
import { cursor, limit, pageOf, printable, utcTime } from './fields.js';

const tag = 'webhooks';
const ENDPOINT = '/webhooks/{endpoint}';
const hours = z.int().min(0).max(168).default(24).describe('How long the secret before signs as well.');
const deliveriesQuery = z.strictObject({
  limit,
  cursor,
  state: z.enum(DELIVERY_STATES).optional(),
  type: z.enum(EVENT_TYPE_NAMES as readonly [string, ...string[]]).optional(),
});

/** Endpoints of applications and their events. */
export const webhookOperations: readonly AdminOperation[] = [
  lists(
    {
      ...{ id: 'listWebhooks', path: '/applications/{application}/webhooks', tag, command: 'webhooks list' },
      summary: 'The webhook endpoints of an application',
    },
    {
      ...{ id: z.string(), state: z.string(), url: z.string() },
      ...{ events: z.string(), failing_since: z.string() },
    },
    ({ application = '' }) => ({ args: [application] }),
  ),
  changes(
    {
      ...{ id: 'addWebhook', method: 'POST', path: '/applications/{application}/webhooks', tag },
      ...{ summary: 'Add an endpoint; its secret is in the answer only', command: 'webhooks add' },
    },
    {
      url: printable(2_000),
      events: z
        .array(z.enum(EVENT_TYPE_NAMES as readonly [string, ...string[]]))
        .min(1)
        .optional(),
    },
    ({ url, events }, { application = '' }) => ({ options: { events: events?.join(',') }, args: [application, url] }),
  ),
  changes(
    {
      ...{ id: 'rotateWebhookSecret', method: 'POST', path: `${ENDPOINT}/secret-rotation`, tag },
      ...{ summary: 'Replace the signing secret; the new one is in the answer only', command: 'webhooks rotate' },
    },
    { overlap_hours: hours },
    ({ overlap_hours }, { endpoint = '' }) => ({ options: { overlap: String(overlap_hours) }, args: [endpoint] }),
  ),
  ...(
    [
      ['enableWebhook', 'enabling', 'webhooks enable', 'Send events to an endpoint'],
      ['disableWebhook', 'disabling', 'webhooks disable', 'Send no events to an endpoint, and keep none for it'],
    ] as const
  ).map(([id, step, command, summary]) =>
    changes(
      { id, method: 'POST', path: `${ENDPOINT}/${step}`, tag, command, summary },
      {},
      (_body, { endpoint = '' }) => ({ args: [endpoint] }),
    ),
  ),
  changes(
    {
      ...{ id: 'deleteWebhook', method: 'POST', path: `${ENDPOINT}/deletion`, tag, command: 'webhooks delete' },
      summary: 'Delete an endpoint with its events',
    },
    {},
    (_body, { endpoint = '' }) => ({ options: { yes: true }, args: [endpoint] }),
  ),
  changes(
    {
      ...{ id: 'testWebhook', method: 'POST', path: `${ENDPOINT}/tests`, tag, command: 'webhooks test' },
      summary: 'Send a test event',
    },
    {},
    (_body, { endpoint = '' }) => ({ args: [endpoint] }),
  ),
  changes(
    {
      ...{ id: 'replayEvents', method: 'POST', path: `${ENDPOINT}/replays`, tag, command: 'webhooks replay' },
      summary: 'Send one event again, or those since a time',
    },
    { event: printable(100).optional(), since: utcTime.optional() },
    ({ event, since }, { endpoint = '' }) => ({ options: { event, since }, args: [endpoint] }),
  ),
  reads(
    {
      ...{ id: 'listDeliveries', path: `${ENDPOINT}/deliveries`, tag },
      ...{ summary: 'Events of an endpoint, newest first', command: 'webhooks deliveries' },
    },
    deliveriesQuery,
    pageOf({
      ...{ event: z.string(), at: z.iso.datetime(), type: z.string(), subject: z.string() },
      ...{ state: z.enum(DELIVERY_STATES), attempts: z.int() },
      ...{ last_status: z.int().nullable(), last_error: z.string().nullable() },
    }),
    async ({ gateway: { database, config, keys }, params: { endpoint = '' } }, { limit: most, ...query }) => {
      const found = await new EndpointStore(database, config, new WebhookSecrets(config, keys)).get(endpoint);
      if (found?.environment !== config.environment)
        throw ApiError.of('resource_failure', `There is no endpoint ${endpoint}.`);
      const { cursor: before, state, type } = query;
      const rows = await new DeliveryLog(database).list(endpoint, { limit: most + 1, before, state, type });
      const items = rows.slice(0, most).map((row) => ({
        ...{ event: row.eventId, at: new Date(row.at).toISOString(), type: row.type, subject: row.subject },
        ...{ state: row.state, attempts: row.attempts, last_status: row.lastStatus, last_error: row.lastError },
      }));
      return { items, next_cursor: rows.length > most ? (items.at(-1)?.event ?? null) : null };
    },
  ),
];
