import type { Visitor } from '../../accounts/sessions.service.js';
import type { OwnApplication } from '../../auth/own-applications.js';
import type { Answer } from '../../http/answer.js';
import { page } from '../shell/page.js';
import { productText } from './product-texts.js';
import { Versions } from './versions.js';
import type { VisibleProduct } from './visible-products.js';

/** All products and, for a logged-in visitor, the subscribed applications. */
export function productsPage(
  visitor: Visitor | undefined,
  products: readonly VisibleProduct[],
  own: readonly OwnApplication[],
): Answer {
  return page(
    { title: 'Products', visitor, section: '/products', styles: ['applications.css'] },
    <>
      <h1>Products</h1>
      <p class="lead">Subscribe an application to the products it calls. Calls without a subscription return 403.</p>
      {products.map((product) => (
        <Product key={product.facts.id} product={product} own={visitor && own} />
      ))}
      <p class="actions">
        <a class="button" href={visitor ? '/applications' : '/signup'}>
          {visitor ? 'Subscribe an application' : 'Sign up to subscribe'}
        </a>
        <a href="/docs">Read the docs</a>
      </p>
    </>,
  );
}

function Product({ product, own }: { product: VisibleProduct; own: readonly OwnApplication[] | undefined }) {
  const { facts, name } = product;
  const { purpose, docs } = productText(facts.id);
  return (
    <section class="card" aria-labelledby={facts.id}>
      <h2 id={facts.id}>{name}</h2>
      <p>{purpose}</p>
      <Versions product={product} />
      {own && <Subscribers own={own.filter(({ products }) => products.includes(facts.id))} />}
      <p>
        <a href={docs}>How to call {name}</a>
      </p>
    </section>
  );
}

function Subscribers({ own }: { own: readonly OwnApplication[] }) {
  if (own.length === 0) return <p class="quiet">None of your applications are subscribed.</p>;
  return (
    <p>
      {'Subscribed: '}
      {own.map(({ id, name, environment }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={`/applications/${id}`}>{name}</a>
          {environment === 'production' && ' (production)'}
        </span>
      ))}
    </p>
  );
}
