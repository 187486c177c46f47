import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { type ErrorRule, ruleFor } from './errors.js';
import { Evaluation } from './expression.js';

/** Outcomes other than a failure that a rule may assign to an operation. */
export type Accepted = 'empty' | 'done' | 'not_found';

/**
 * The JSON of an answer; undefined if a rule assigns it one of `accepted`. Throws SupplierError for everything else. If
 * no rule matches, the status decides: 401 and 403 are auth, 429 is throttled, 408 and 5xx are unavailable; anything
 * else that isn't a JSON success is a bad payload, because a proxy's error page or an unknown code must not count as a
 * refusal. Rules may read `request`.
 */
export function readReply(
  answer: SupplierHttpAnswer,
  rules: readonly ErrorRule[],
  accepted: readonly Accepted[],
  request: object,
): { readonly body: unknown } | undefined {
  const json = parseJson(answer.body);
  const rule = json && ruleFor(rules, answer, json.value, new Evaluation({ answer: json.value, request }));
  if (rule && isAccepted(rule.means, accepted)) return undefined;
  if (rule) throw ruleError(answer.status, rule);
  if (answer.status < 200 || answer.status >= 300) throw statusError(answer.status);
  if (!json || (json.value === null && answer.status !== 204)) {
    throw new SupplierError('bad_payload', `answered ${answer.status} without readable JSON`);
  }
  return { body: json.value };
}

function isAccepted(means: ErrorRule['means'], accepted: readonly Accepted[]): boolean {
  return accepted.some((outcome) => outcome === means);
}

function ruleError(status: number, { means, refusal, when }: ErrorRule): SupplierError {
  const message = `answered ${status}${when ? `: ${means} by the rule ${when.text}` : ''}`;
  switch (means) {
    case 'rejected':
      return new SupplierError('rejected', message, true, { refusal });
    case 'not_found':
      return new SupplierError('rejected', message, true, { refusal: 'not_found' });
    case 'throttled':
    case 'unavailable':
    case 'auth':
      return new SupplierError(means, message);
    // "Nothing there" or "already done" is ambiguous for an operation that doesn't accept it.
    case 'empty':
    case 'done':
    case 'unknown':
      return new SupplierError('bad_payload', message);
  }
}

function statusError(status: number): SupplierError {
  if (status === 401 || status === 403)
    return new SupplierError('auth', `answered ${status}: the credentials are not accepted`);
  if (status === 429) return new SupplierError('throttled', 'answered 429');
  if (status === 408 || status >= 500) return new SupplierError('unavailable', `answered ${status}`);
  return new SupplierError('bad_payload', `answered ${status}, which no rule covers`);
}

/** The body as JSON, null for an empty one; undefined for anything else. */
function parseJson(body: Buffer): { readonly value: unknown } | undefined {
  if (body.length === 0) return { value: null };
  try {
    // JSON has no byte order mark, but some suppliers send one (RFC 8259, section 8.1, lets parsers ignore it).
    return { value: JSON.parse(body.toString('utf8').replace(/^\ufeff/, '')) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
