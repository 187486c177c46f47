import type { OwnApplication } from '../../auth/own-applications.js';
import { productText } from '../products/product-texts.js';
import { Versions } from '../products/versions.js';
import { isOpenTo, type VisibleProduct } from '../products/visible-products.js';

/** Every product visible to the owner, whether the application is subscribed, and the button to change that if allowed. */
export function SubscriptionsSection({
  application,
  products,
}: {
  application: OwnApplication;
  products: readonly VisibleProduct[];
}) {
  const open = products.filter(({ facts }) => isOpenTo(application, facts));
  return (
    <section aria-labelledby="subscriptions">
      <h2 id="subscriptions">Subscriptions</h2>
      {open.length > 1 && (
        <form method="post" action={`/applications/${application.id}/subscriptions`}>
          <p>
            <button type="submit">Subscribe to all {open.length}</button>
          </p>
        </form>
      )}
      {products.map((product) => (
        <Subscription key={product.facts.id} application={application} product={product} />
      ))}
    </section>
  );
}

function Subscription({ application, product }: { application: OwnApplication; product: VisibleProduct }) {
  const { facts, name, versions } = product;
  const isSubscribed = application.products.includes(facts.id);
  const isOpen = isOpenTo(application, facts);
  const isLive = application.environment === 'production';
  const path = `/applications/${application.id}/subscriptions/${facts.id}`;
  return (
    <div class="card subscription">
      <div>
        <h3>
          {name} {isSubscribed && <span class="badge good">Subscribed</span>}
        </h3>
        <p>
          {productText(facts.id).purpose} <a href={productText(facts.id).docs}>Docs</a>
        </p>
        <Versions product={product} />
      </div>
      {isSubscribed && (
        <form method="post" action={`${path}/end`}>
          {versions.some(({ state }) => state === 'deprecated') && (
            <p class="hint">If you unsubscribe, you can't resubscribe to a deprecated version.</p>
          )}
          {isLive && <p class="hint">If you unsubscribe, resubscribing requires a new production access request.</p>}
          <button class="danger" type="submit" aria-label={`Unsubscribe from ${name}`}>
            Unsubscribe
          </button>
        </form>
      )}
      {isOpen && (
        <form method="post" action={path}>
          <button class="second" type="submit" aria-label={`Subscribe to ${name}`}>
            Subscribe
          </button>
        </form>
      )}
      {!isSubscribed && !isOpen && (
        <p class="hint">
          {isLive
            ? 'Not in the newest approved access request. To use this product, subscribe the application in the sandbox to it and request production access again.'
            : 'Closed to new subscriptions.'}
        </p>
      )}
    </div>
  );
}
