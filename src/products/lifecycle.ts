import type { Version } from './version.js';

/** States of a product version in lifecycle order (spec §3.1). */
export const STATES = ['designed', 'beta', 'live', 'deprecated', 'retired'] as const;

export type ProductState = (typeof STATES)[number];

/** The transition table: one step forward, never back (decision 0014). Retired is final. */
const NEXT: Readonly<Record<ProductState, ProductState | undefined>> = {
  designed: 'beta',
  beta: 'live',
  live: 'deprecated',
  deprecated: 'retired',
  retired: undefined,
};

/** Whether a version may change from one state to another. */
export function mayBecome(from: ProductState, to: ProductState): boolean {
  return NEXT[from] === to;
}

/** The state after a promotion: beta or live. Undefined if the version can't be promoted. */
export function promoted(from: ProductState): ProductState | undefined {
  return from === 'designed' || from === 'beta' ? NEXT[from] : undefined;
}

/** A version with its state. */
export type VersionInState = Version & { readonly state: ProductState };

/** Live versions of majors before the newest Live one, which a new Live major deprecates (spec §9.6). */
export function outlived<T extends VersionInState>(versions: readonly T[]): readonly T[] {
  const live = versions.filter((version) => version.state === 'live');
  const newest = Math.max(0, ...live.map((version) => version.major));
  return live.filter((version) => version.major < newest);
}
