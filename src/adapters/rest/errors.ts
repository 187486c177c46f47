import { z } from 'zod';
import type { Refusal, SupplierHttpAnswer } from '../../model/supplier.js';
import type { Evaluation } from './expression.js';
import { expression } from './expression.schema.js';

const REFUSALS = [
  ...([
    'sold_out',
    'rate_expired',
    'price_changed',
    'card_declined',
    'not_changeable',
    'unsupported_by_supplier',
  ] as const),
  ...([
    'location_closed',
    'invalid_location',
    'invalid_rate',
    'invalid_discount',
    'not_eligible',
    'extra_not_available',
  ] as const),
] satisfies readonly Refusal[];

const statusPattern = z.union([z.number().int().min(100).max(599), z.enum(['2xx', '3xx', '4xx', '5xx'])]);

/**
 * One rule of the ordered list that interprets answers other than a plain success. All its conditions must hold; `when`
 * is an expression over the body. Without `status`, a rule matches only clear refusals: 4xx other than 401, 403, 408
 * and 429.
 */
const errorRule = z
  .strictObject({
    status: z.union([statusPattern, z.array(statusPattern).min(1)]).optional(),
    header: z.strictObject({ name: z.string().toLowerCase(), equals: z.string() }).optional(),
    when: expression.optional(),
    means: z.enum(['empty', 'done', 'not_found', 'rejected', 'throttled', 'unavailable', 'auth', 'unknown']),
    refusal: z.enum(REFUSALS).optional(),
  })
  .refine(
    ({ status, header, when }) => status !== undefined || header !== undefined || when !== undefined,
    'has no condition; add at least one of status, header and when',
  )
  .refine(({ refusal, means }) => refusal === undefined || means === 'rejected', {
    path: ['refusal'],
    message: 'is allowed only with means: rejected; remove it or change means',
  });

/** The ordered rules of a manifest or of one of its operations. */
export const errorRules = z.array(errorRule).default([]);

/** A parsed rule. */
export type ErrorRule = z.infer<typeof errorRule>;

/**
 * The first rule that matches the answer. `body` is its content, or null if there is none: rules never see an HTML page.
 */
export function ruleFor(
  rules: readonly ErrorRule[],
  { status, headers }: SupplierHttpAnswer,
  body: unknown,
  evaluation: Evaluation,
): ErrorRule | undefined {
  return rules.find(
    (rule) =>
      (rule.status === undefined ? isClearRefusal(status) : matches(rule.status, status)) &&
      (rule.header === undefined || headers[rule.header.name] === rule.header.equals) &&
      (rule.when === undefined || evaluation.holds(rule.when, body)),
  );
}

function matches(pattern: NonNullable<ErrorRule['status']>, status: number): boolean {
  const patterns = Array.isArray(pattern) ? pattern : [pattern];
  return patterns.some((one) => one === status || one === `${Math.trunc(status / 100)}xx`);
}

function isClearRefusal(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 408, 429].includes(status);
}
