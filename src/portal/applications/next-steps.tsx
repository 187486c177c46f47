import type { OwnApplication } from '../../auth/own-applications.js';

/** The facts of an application that show which steps are done. */
export type Begun = Pick<OwnApplication, 'id' | 'clientId' | 'environment' | 'products' | 'secrets'>;

/** The remaining steps from credentials to a first response, with the reader's own client id. `origin`: of the gateway to call. */
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
            <strong>{environment === 'sandbox' ? 'Subscribe' : 'Request access'}</strong> to the products you want to
            call: <a href={`/applications/${id}#subscriptions`}>subscriptions</a>.
          </li>
        )}
        {!hadToken && (
          <li>
            <strong>Get a token</strong>, which is valid for two hours:
            <pre>
              <code>{`curl ${origin}/oauth/token/v1 \\\n  -H "client_id: ${clientId}" \\\n  -H "client_secret: $CLIENT_SECRET"`}</code>
            </pre>
          </li>
        )}
        {environment === 'sandbox' && (
          <li>
            <strong>Try it</strong> in the <a href={`/console?application=${id}`}>console</a>: call any operation, and
            simulate supplier failures.
          </li>
        )}
      </ol>
    </section>
  );
}
