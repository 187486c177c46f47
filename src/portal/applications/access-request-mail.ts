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
  { approved, applicationName, applicationId, reason, accountName }: AccessRequestDecision,
  url: (path: string) => string,
) {
  const comment = reason === '' ? [] : [`Comment from the operator: ${reason}`];
  return renderEmail({
    subject: approved
      ? `${applicationName} is approved for production`
      : `${applicationName} was not approved for production`,
    greeting: `Hello ${accountName},`,
    paragraphs: approved
      ? [
          `${applicationName} was approved for production access. We created a production application with its own credentials.`,
          ...comment,
          'Open the application and enter your password to see its credentials. Sandbox credentials are not valid in production.',
        ]
      : [
          `Your production access request for ${applicationName} was rejected.`,
          ...comment,
          'Change what is missing, then submit a new request on the application page.',
        ],
    action: {
      label: approved ? 'Open the production application' : 'Open the application',
      url: url(`/applications/${applicationId}`),
    },
  });
}
