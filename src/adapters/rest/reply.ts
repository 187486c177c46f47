import { SupplierError, type SupplierHttpAnswer } from '../../model/supplier.js';
import { type ErrorRule, ruleFor } from './errors.js';
import { Evaluation } from './expression.js';
import type { Manifest } from './options.js';
import { treeOfXml } from './xml.js';

/** Outcomes other than a failure that a rule may assign to an operation. */
export type Accepted = 'empty' | 'done' | 'not_found';

/** How the bodies of answers are written. `lists` is only for XML. */
export type BodyFormat = Pick<Manifest, 'format' | 'lists'>;

/** The format of answers that a standard prescribes. */
export const JSON_BODY: BodyFormat = { format: 'json', lists: new Map() };

/**
 * The content of an answer; undefined if a rule assigns it one of `accepted`. Throws SupplierError for everything else. If
 * no rule matches, the status decides: 401 and 403 are auth, 429 is throttled, 408 and 5xx are unavailable; anything
 * else that isn't a readable success is a bad payload, because a proxy's error page or an unknown code must not count as a
 * refusal. Rules may read `request`.
 */
export function readReply(
  answer: SupplierHttpAnswer,
  rules: readonly ErrorRule[],
  accepted: readonly Accepted[],
  request: object,
  format: BodyFormat,
): { readonly body: unknown } | undefined {
  const read = readBody(answer, format);
  const rule = read && ruleFor(rules, answer, read.value, new Evaluation({ answer: read.value, request }));
  if (rule && isAccepted(rule.means, accepted)) return undefined;
  if (rule) throw ruleError(answer.status, rule);
  if (answer.status < 200 || answer.status >= 300) throw statusError(answer.status);
  if (!read || (read.value === null && answer.status !== 204)) {
    throw new SupplierError('bad_payload', `answered ${answer.status} without readable ${format.format.toUpperCase()}`);
  }
  return { body: read.value };
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

/** The body as the tree that expressions read, null for an empty one; undefined for anything but the format. */
export function readBody(
  answer: SupplierHttpAnswer,
  { format, lists }: BodyFormat,
): { readonly value: unknown } | undefined {
  if (answer.body.length === 0) return { value: null };
  try {
    if (format === 'xml') return { value: treeOfXml(answer, lists) };
    // JSON has no byte order mark, but some suppliers send one (RFC 8259, section 8.1, lets parsers ignore it).
    return { value: JSON.parse(answer.body.toString('utf8').replace(/^\ufeff/, '')) };
  } catch (error) {
    // Their messages quote the body, so they aren't passed on.
    if (error instanceof SyntaxError || error instanceof SupplierError) return undefined;
    throw error;
  }
}
