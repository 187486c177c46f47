import type { OwnApplication } from '../../auth/own-applications.js';

/** What of an application says what is done already. */
export type Begun = Pick<OwnApplication, 'id' | 'clientId' | 'environment' | 'products' | 'secrets'>;

/** What is still to be done from credentials to a first answer, with the reader's own client id. `origin`: of the gateway to call. */
export function NextSteps({ application, origin }: { application: Begun; origin: string }) {
  const { id, clientId, environment, products, secrets } = application;
  const hadToken = secrets.some(({ lastUsedAt }) => lastUsedAt !== null);
  if (products.length > 0 && hadToken && environment === 'production') return null;
  return (
    <section aria-labelledby="next-steps">
      <h2 id="next-steps">Next steps</h2>
      <ol class="steps">
        {products.length === 0 && (
          <li>
            <strong>Subscribe</strong> to the products that it shall call:{' '}
            <a href={`/applications/${id}#subscriptions`}>its subscriptions</a>.
          </li>
        )}
        {!hadToken && (
          <li>
            <strong>Get a token</strong>; it lives two hours:
            <pre>
              <code>{`curl ${origin}/oauth/token/v1 \\\n  -H "client_id: ${clientId}" \\\n  -H "client_secret: $CLIENT_SECRET"`}</code>
            </pre>
          </li>
        )}
        {environment === 'sandbox' && (
          <li>
            <strong>Try it</strong> in the <a href={`/console?application=${id}`}>console</a>: every operation, with
            scenarios in which suppliers fail.
          </li>
        )}
      </ol>
    </section>
  );
}
