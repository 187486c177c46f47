import { z } from 'zod';

/** States of a part, the best one first. `paused`: bookings are served, new searches leave it out. */
export const PART_STATES = ['operational', 'paused', 'maintenance', 'degraded', 'down'] as const;

const instant = z.string().describe('ISO 8601 in UTC.');

const day = z
  .strictObject({
    date: z.string().describe('UTC day, YYYY-MM-DD.'),
    uptime: z.number().min(0).max(1).nullable().describe('Share of calls that did not fail; null = no calls.'),
  })
  .describe('One UTC day.');

const part = z.strictObject({
  id: z.string().describe('`search`, `booking`, `token`, or `supplier:` and the id of a supplier in answers.'),
  name: z.string(),
  state: z.enum(PART_STATES).describe('State now.'),
  uptime_90d: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Share of calls in 90 days that did not fail; null = no calls.'),
  days: z.array(day).length(90).describe('Oldest first; the last one is today.'),
});

const incident = z.strictObject({
  id: z.string(),
  kind: z.enum(['failing', 'maintenance', 'notice']).describe('`notice`: posted by an operator.'),
  part: z.string().describe('Id of a part, `service`, or `product:` and the id of a product.'),
  name: z.string().describe('What it concerns.'),
  operations: z.array(z.string()).describe('Operations of a supplier that failed; empty = all.'),
  began_at: instant,
  ended_at: instant.nullable().describe('Null = it is not over.'),
  notes: z.array(z.strictObject({ at: instant, text: z.string() })).describe('Texts of operators, oldest first.'),
});

const planned = z.strictObject({
  part: z.string().describe('As of an incident.'),
  name: z.string(),
  begins_at: instant,
  ends_at: instant,
  reason: z.string(),
});

/** The body of /status.json, the only description of its shape. */
export const statusReport = z.strictObject({
  environment: z.enum(['sandbox', 'production']),
  state: z
    .enum(PART_STATES)
    .describe('The worst of search, booking and token; at least `degraded` while a supplier fails.'),
  generated_at: instant.describe('When the states were read.'),
  counted_at: instant.nullable().describe('When uptimes and incidents were read; null = never, they are empty.'),
  parts: z.array(part).describe('The API first, then the suppliers, in the order of answers.'),
  planned: z.array(planned).describe('Maintenance that was announced, the next one first.'),
  incidents: z.array(incident).describe('Incidents of the last 90 days, newest first; at most 100.'),
});

export type StatusReport = z.infer<typeof statusReport>;
export type StatusPart = z.infer<typeof part>;
export type StatusPlan = z.infer<typeof planned>;
export type StatusIncident = z.infer<typeof incident>;
export type PartState = StatusPart['state'];
