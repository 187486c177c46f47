import { shortId } from './short-id.js';

/** A change or a look as audit_events has it. `actor` is `ops`, `system` or an account id. */
export interface RecordedEvent {
  readonly actor: string;
  readonly action: string;
  readonly before: unknown;
  readonly after: unknown;
}

type Values = Readonly<Record<string, unknown>>;
/** Name of a product by its id. */
type NameOf = (productId: string) => string;

const SENTENCES: Readonly<Record<string, (after: Values, before: Values, nameOf: NameOf) => string>> = {
  account_created: () => 'created the account',
  password_changed: () => 'changed the password',
  password_reset: () => 'set a new password by a link from a mail',
  name_changed: () => 'changed the name',
  logged_out_everywhere: () => 'ended all sessions',
  role_changed: (after) => `changed what the account may do: ${after.role === 'ops' ? 'ops' : 'developer'}`,
  application_created: (after) =>
    `created the ${after.launched_from === undefined ? 'application' : 'production application'}`,
  application_described: (after) => `changed ${Object.keys(after).join(' and ')}`,
  application_suspended: () => 'suspended the application; its tokens ended',
  application_resumed: () => 'resumed the application',
  application_deleted: () => 'deleted the application',
  redirect_url_set: (after) =>
    after.redirectUrl === null ? 'removed the redirect URL' : `set the redirect URL ${after.redirectUrl}`,
  default_scenario_set: (after) =>
    after.defaultScenario === null
      ? 'removed the default scenario'
      : `set the default scenario ${after.defaultScenario}`,
  secret_rotated: (after) => `made the secret ${shortId(String(after.secret_id))}`,
  secret_revoked: () => 'revoked a secret; all tokens ended',
  secret_shown: () => 'looked at the credentials',
  product_subscribed: (after, _before, nameOf) => `subscribed the application to ${nameOf(String(after.product))}`,
  product_unsubscribed: (_after, before, nameOf) => `ended the subscription to ${nameOf(String(before.product))}`,
  launch_requested: () => 'asked for production',
  launch_approved: () => 'approved the request for production',
  launch_refused: () => 'refused the request for production',
};

/** A recorded event as a sentence for the owner of the account; one without words of its own is told by its code. */
export function eventWords(
  { actor, action, before, after }: RecordedEvent,
  accountId: string,
  nameOf: NameOf = (id) => id,
): string {
  const who = actor === accountId ? 'You' : actor === 'system' ? 'The gateway' : 'Operations';
  const sentence = Object.hasOwn(SENTENCES, action) ? SENTENCES[action] : undefined;
  return `${who} ${sentence?.(valuesOf(after), valuesOf(before), nameOf) ?? action.replaceAll('_', ' ')}.`;
}

function valuesOf(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {};
}
