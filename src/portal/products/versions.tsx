import type { ProductFacts, VersionFacts } from '../../products/product-facts.js';
import { Day } from '../shell/moment.js';
import type { VisibleProduct } from './visible-products.js';

const BADGES: Readonly<Record<string, readonly [style: string, label: string]>> = {
  live: ['badge good', 'Live'],
  beta: ['badge', 'Beta'],
  deprecated: ['badge partial', 'Deprecated'],
};

/** Versions with their paths and states, a line each. */
export function Versions({ product: { facts, versions } }: { product: VisibleProduct }) {
  return (
    <ul class="plain">
      {versions.map((version) => (
        <li key={version.label}>
          <code>{`${facts.path}/${version.label}`}</code> <VersionState product={facts} version={version} />
        </li>
      ))}
    </ul>
  );
}

/** The state of a version in a word, and what it means for callers. */
function VersionState({ product, version }: { product: ProductFacts; version: VersionFacts }) {
  const successor = product.versions.find(({ state }) => state === 'live');
  const [style, label] = BADGES[version.state] ?? ['badge', version.state];
  return (
    <>
      <span class={style}>{label}</span>{' '}
      {version.state === 'beta' && 'in the sandbox, for the applications that were selected for it'}
      {version.state === 'deprecated' && (
        <>
          for those that subscribed before
          {version.sunsetAt === undefined ? (
            '; no end is set yet'
          ) : (
            <>
              ; ends <Day at={version.sunsetAt * 1000} />
            </>
          )}
          {successor && `; go on to ${successor.label}`}
        </>
      )}
    </>
  );
}
