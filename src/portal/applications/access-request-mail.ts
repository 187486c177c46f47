import type { AccessRequestDecision, Tell } from '../../auth/access-requests.js';
import { letter } from '../../mail/letter.js';
import type { Outbox } from '../../mail/outbox.js';

/** Writes to developers how their requests for production were decided. `url` of a path of the portal. Accounts without e-mail get nothing. */
export function tellByMail(outbox: Pick<Outbox, 'put'>, url: (path: string) => string): Tell {
  return async (tx, decision) => {
    if (decision.email !== null) await outbox.put({ to: decision.email, ...decisionLetter(decision, url) }, tx);
  };
}

function decisionLetter(
  { approved, applicationName, applicationId, reason, accountName }: AccessRequestDecision,
  url: (path: string) => string,
) {
  const said = reason === '' ? [] : [`Operations say: ${reason}`];
  return letter({
    subject: approved
      ? `${applicationName} is approved for production`
      : `${applicationName} is not approved for production`,
    greeting: `Hello ${accountName},`,
    paragraphs: approved
      ? [
          `your application ${applicationName} may go live. A production application with credentials of its own is made.`,
          ...said,
          'Its page shows the credentials once you have given your password. Those of the sandbox are not valid in production.',
        ]
      : [
          `your request for production of ${applicationName} is refused.`,
          ...said,
          'Change what is missing, and ask again on its page.',
        ],
    action: {
      label: approved ? 'To the production application' : 'To the application',
      url: url(`/applications/${applicationId}`),
    },
  });
}
