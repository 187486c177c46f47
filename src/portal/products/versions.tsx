import type { ProductFacts, VersionFacts } from '../../products/product-facts.js';
import { Day } from '../shell/moment.js';
import type { VisibleProduct } from './visible-products.js';

const BADGES: Readonly<Record<string, readonly [style: string, label: string]>> = {
  live: ['badge good', 'Live'],
  beta: ['badge', 'Beta'],
  deprecated: ['badge partial', 'Deprecated'],
};

/** A list of versions with paths and states. */
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

/** The state of a version and what it means for callers. */
function VersionState({ product, version }: { product: ProductFacts; version: VersionFacts }) {
  const successor = product.versions.find(({ state }) => state === 'live');
  const [style, label] = BADGES[version.state] ?? ['badge', version.state];
  return (
    <>
      <span class={style}>{label}</span> {version.state === 'beta' && 'in the sandbox, for selected applications'}
      {version.state === 'deprecated' && (
        <>
          for existing subscriptions only
          {version.sunsetAt === undefined ? (
            '; no retirement date set'
          ) : (
            <>
              ; will be retired on <Day at={version.sunsetAt * 1000} />
            </>
          )}
          {successor && `; migrate to ${successor.label}`}
        </>
      )}
    </>
  );
}
