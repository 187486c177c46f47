import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { type ErrorRule, ruleFor } from './errors.js';
import { Evaluation } from './expression.js';

/** What a rule may say of an operation beside a failure. */
export type Accepted = 'empty' | 'done' | 'not_found';

/**
 * The JSON of an answer; undefined when a rule says that it is one of `accepted`. Throws SupplierError for everything else. Where no rule
 * speaks, the status does: 401 and 403 auth, 429 throttled, 408 and 5xx unavailable; anything else that is no JSON success is a bad payload,
 * for a page of a proxy or a code never heard of must not pass for a refusal. `request`: what rules may read of it.
 */
export function readReply(
  answer: SupplierHttpAnswer,
  rules: readonly ErrorRule[],
  accepted: readonly Accepted[],
  request: object,
): { readonly body: unknown } | undefined {
  const json = parsed(answer.body);
  const rule = json && ruleFor(rules, answer, json.value, new Evaluation({ answer: json.value, request }));
  if (rule && isAccepted(rule.means, accepted)) return undefined;
  if (rule) throw ruled(answer.status, rule);
  if (answer.status < 200 || answer.status >= 300) throw unruled(answer.status);
  if (!json || (json.value === null && answer.status !== 204)) {
    throw new SupplierError('bad_payload', `answered ${answer.status} without readable JSON`);
  }
  return { body: json.value };
}

function isAccepted(means: ErrorRule['means'], accepted: readonly Accepted[]): boolean {
  return accepted.some((outcome) => outcome === means);
}

function ruled(status: number, { means, refusal, when }: ErrorRule): SupplierError {
  const message = `answered ${status}${when ? `, which is ${means} by ${when.text}` : ''}`;
  switch (means) {
    case 'rejected':
      return new SupplierError('rejected', message, true, { refusal });
    case 'not_found':
      return new SupplierError('rejected', message, true, { refusal: 'not_found' });
    case 'throttled':
    case 'unavailable':
    case 'auth':
      return new SupplierError(means, message);
    // "Nothing there" or "already done" where it means neither says nothing certain.
    case 'empty':
    case 'done':
    case 'unknown':
      return new SupplierError('bad_payload', message);
  }
}

function unruled(status: number): SupplierError {
  if (status === 401 || status === 403)
    return new SupplierError('auth', `answered ${status}: the credentials are not accepted`);
  if (status === 429) return new SupplierError('throttled', 'answered 429');
  if (status === 408 || status >= 500) return new SupplierError('unavailable', `answered ${status}`);
  return new SupplierError('bad_payload', `answered ${status}, which no rule explains`);
}

/** The body as JSON, null for an empty one; undefined for anything else. */
function parsed(body: Buffer): { readonly value: unknown } | undefined {
  if (body.length === 0) return { value: null };
  try {
    // A byte order mark is none of JSON's, yet it is sent (RFC 8259 8.1 lets it be ignored).
    return { value: JSON.parse(body.toString('utf8').replace(/^\ufeff/, '')) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
