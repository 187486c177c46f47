import type { AccessRequestDecision, Tell } from '../../auth/access-requests.js';
import type { Outbox } from '../../mail/outbox.js';
import { renderEmail } from '../../mail/render-email.js';

/** Emails developers the decision on their production access request; accounts without an email address get none. `url` resolves a portal path. */
export function emailDecision(outbox: Pick<Outbox, 'put'>, url: (path: string) => string): Tell {
  return async (tx, decision) => {
    if (decision.email !== null) await outbox.put({ to: decision.email, ...decisionEmail(decision, url) }, tx);
  };
}

function decisionEmail(
  { approved, applicationName, production, reason, accountName }: AccessRequestDecision,
  url: (path: string) => string,
) {
  const comment = reason === '' ? [] : [`Comment from the operator: ${reason}`];
  const outcome = production?.isNew
    ? 'We created a production application with its own credentials.'
    : `Its production application is now subscribed to: ${production?.products.join(', ') || 'no products'}. Its credentials stay the same.`;
  return renderEmail({
    subject: approved
      ? `${applicationName} is approved for production`
      : `${applicationName} was not approved for production`,
    greeting: `Hello ${accountName},`,
    paragraphs: approved
      ? [
          `${applicationName} was approved for production access. ${outcome}`,
          ...comment,
          "Log in to the production platform with this email address to see the credentials. Your sandbox password isn't valid there: if you have no password yet, choose Forgot password? on the login page.",
          'Sandbox credentials are not valid in production.',
        ]
      : [
          `Your production access request for ${applicationName} was rejected.`,
          ...comment,
          'Change what is missing, then submit a new request on the page of the application in the sandbox.',
        ],
    // The sandbox may have any address: production doesn't know it, and wouldn't put it into its emails if it did.
    ...(production === undefined
      ? {}
      : {
          action: {
            label: 'Open the production application',
            url: url(`/applications/${production.id}`),
          },
        }),
  });
}
