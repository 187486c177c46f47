import { shortId } from './short-id.js';

/** A row of audit_events. `actor` is `ops`, `system`, or the id of an account or application. */
export interface RecordedEvent {
  readonly actor: string;
  readonly action: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Values = Readonly<Record<string, unknown>>;
/** Name of a product by its id. */
type NameOf = (productId: string) => string;

/** Who acts besides the account, by the beginning of the actor. */
const OTHERS: ReadonlyMap<string, string> = new Map([
  ['system', 'The gateway'],
  ['app', 'The application'],
]);

const SENTENCES: Readonly<Record<string, (after: Values, before: Values, nameOf: NameOf) => string>> = {
  account_created: () => 'created the account',
  account_activated: () => 'activated the account',
  account_exported: () => 'downloaded what is kept about the account',
  password_changed: () => 'changed the password',
  password_reset: () => 'reset the password with an emailed link',
  second_factor_added: () => 'turned on two-factor authentication',
  second_factor_removed: () => 'turned off two-factor authentication',
  recovery_codes_replaced: () => 'created new recovery codes',
  recovery_code_used: (after) => `used a recovery code; ${after.left} left`,
  name_changed: () => 'changed the name',
  logged_out_everywhere: () => 'logged out all sessions',
  role_changed: (after) => `changed the role to ${after.role === 'ops' ? 'operator' : 'developer'}`,
  application_created: (after) =>
    `created the ${after.launched_from === undefined ? 'application' : 'production application'}`,
  application_described: (after) => `changed ${Object.keys(after).join(' and ')}`,
  application_suspended: () => 'suspended the application and revoked its tokens',
  application_resumed: () => 'resumed the application',
  application_tier_set: (after) => `set the limits of the tier ${after.tier}`,
  account_tier_set: (after) => `set the limits of the account to the tier ${after.tier}`,
  application_deleted: () => 'deleted the application',
  redirect_url_set: (after) =>
    after.redirectUrl === null ? 'removed the redirect URL' : `set the redirect URL ${after.redirectUrl}`,
  default_scenario_set: (after) =>
    after.defaultScenario === null
      ? 'removed the default scenario'
      : `set the default scenario ${after.defaultScenario}`,
  allowed_origins_set: (after) =>
    `set the web origins: ${[after.allowedOrigins].flat().map(String).join(', ') || 'none'}`,
  test_clock_moved: (after) => `set the test clock to ${after.now}, with the outcome ${after.outcome}`,
  test_clock_reset: () => 'returned the application from its test clock to real time',
  certification_begun: () => 'began a new certification',
  webhook_endpoint_created: (after) => `added the webhook endpoint ${after.url}`,
  webhook_endpoint_changed: (after) =>
    `changed ${Object.keys(after)
      .filter((name) => name !== 'endpoint')
      .join(' and ')} of a webhook endpoint`,
  webhook_endpoint_deleted: () => 'deleted a webhook endpoint',
  webhook_secret_rotated: (after) => `replaced the secret of a webhook endpoint with ${after.overlap_hours} h overlap`,
  secret_rotated: (after) => `created the secret ${shortId(String(after.secret_id))}`,
  secret_revoked: () => 'revoked a secret and its tokens',
  secret_shown: () => 'viewed the credentials',
  product_subscribed: (after, _before, nameOf) => `subscribed the application to ${nameOf(String(after.product))}`,
  product_unsubscribed: (_after, before, nameOf) =>
    `unsubscribed the application from ${nameOf(String(before.product))}`,
  launch_requested: () => 'requested production access',
  launch_approved: () => 'approved the production access request',
  launch_refused: () => 'rejected the production access request',
};

/** Describes a recorded event to the account's owner. An action without a sentence of its own is shown as its code. */
export function eventWords(
  { actor, action, before, after }: RecordedEvent,
  accountId: string,
  nameOf: NameOf = (id) => id,
): string {
  const who = actor === accountId ? 'You' : (OTHERS.get(actor.split('_', 1)[0] ?? actor) ?? 'An operator');
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action] : undefined;
  return `${who} ${sentence?.(valuesOf(after), valuesOf(before), nameOf) ?? action.replaceAll('_', ' ')}.`;
}

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
