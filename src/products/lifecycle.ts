import type { Version } from './version.js';

/** States of a product version in the order of its life (spec §3.1). */
export const STATES = ['designed', 'beta', 'live', 'deprecated', 'retired'] as const;

export type ProductState = (typeof STATES)[number];

/** The one transition table: forward by one, never back (decision 0014). Retired is the end. */
const NEXT: Readonly<Record<ProductState, ProductState | undefined>> = {
  designed: 'beta',
  beta: 'live',
  live: 'deprecated',
  deprecated: 'retired',
  retired: undefined,
};

/** Whether a version may go from one state into another. */
export function mayBecome(from: ProductState, to: ProductState): boolean {
  return NEXT[from] === to;
}

/** What `promote` leads to: beta or live. Undefined = the version is past being promoted. */
export function promoted(from: ProductState): ProductState | undefined {
  return from === 'designed' || from === 'beta' ? NEXT[from] : undefined;
}

/** A version with its state. */
export type VersionInState = Version & { readonly state: ProductState };

/** Live versions of majors before the newest Live one: a new Live major deprecates them (spec §9.6). Empty while one major is Live. */
export function outlived<T extends VersionInState>(versions: readonly T[]): readonly T[] {
  const live = versions.filter((version) => version.state === 'live');
  const newest = Math.max(0, ...live.map((version) => version.major));
  return live.filter((version) => version.major < newest);
}
