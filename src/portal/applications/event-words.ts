import type { ApplicationEvent } from '../../auth/own-applications.js';
import { shortId } from './short-id.js';

type Values = Readonly<Record<string, unknown>>;
/** Name of a product by its id. */
type NameOf = (productId: string) => string;

const SENTENCES: Readonly<Record<string, (after: Values, before: Values, nameOf: NameOf) => string>> = {
  application_created: (after) => (after.launched_from === undefined ? 'created the application' : 'made it for production'),
  application_described: (after) => `changed ${Object.keys(after).join(' and ')}`,
  application_suspended: () => 'suspended it; its tokens ended',
  application_resumed: () => 'resumed it',
  redirect_url_set: (after) => (after.redirectUrl === null ? 'removed the redirect URL' : `set the redirect URL ${after.redirectUrl}`),
  default_scenario_set: (after) =>
    after.defaultScenario === null ? 'removed the default scenario' : `set the default scenario ${after.defaultScenario}`,
  secret_rotated: (after) => `made the secret ${shortId(String(after.secret_id))}`,
  secret_revoked: () => 'revoked a secret; all tokens ended',
  secret_shown: () => 'looked at the credentials',
  product_subscribed: (after, _before, nameOf) => `subscribed it to ${nameOf(String(after.product))}`,
  product_unsubscribed: (_after, before, nameOf) => `ended its subscription to ${nameOf(String(before.product))}`,
  launch_requested: () => 'asked for production',
  launch_approved: () => 'approved the request for production',
  launch_refused: () => 'refused the request for production',
};

/** One recorded event in plain words, for the owner of the application. */
export function eventWords({ actor, action, before, after }: ApplicationEvent, accountId: string, nameOf: NameOf): string {
  const who = actor === accountId ? 'You' : actor === 'system' ? 'The gateway' : 'Operations';
  const what = SENTENCES[action]?.(after ?? {}, before ?? {}, nameOf) ?? action.replaceAll('_', ' ');
  return `${who} ${what}.`;
}
