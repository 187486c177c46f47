import type { Version } from './version.js';

/** States of a product version in lifecycle order (spec §3.1). */
export const STATES = ['designed', 'beta', 'live', 'deprecated', 'retired'] as const;

export type ProductState = (typeof STATES)[number];

/** The transition table: one step forward (decision 0014). The only way back is `mayBeRestored`. */
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

/** Whether a version may become Deprecated again, because it was retired by mistake (decision 0093). */
export function mayBeRestored(from: ProductState): boolean {
  return from === 'retired';
}

/**
 * Whether callers in production notice that a version gets this state: a Beta is served in the sandbox only (spec §3.1).
 */
export function reachesProduction(to: ProductState): boolean {
  return to !== 'beta';
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
