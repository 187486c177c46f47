/** A version of a product, all components known: 1.1.0 is written v1.1, 2.0.1 is written v2.0.1 (spec §9.1). */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** What a caller asks for: a major, a minor of it, or one exact version; what is left out means the newest (ruling 20). */
export interface VersionWish {
  readonly major: number;
  readonly minor?: number;
  readonly patch?: number;
}

// A minor 0 is written only before a patch, a patch 0 never; numbers have no leading zero and at most four digits.
const GRAMMAR = /^v([1-9]\d{0,3})(?:\.([1-9]\d{0,3})|\.(0|[1-9]\d{0,3})\.([1-9]\d{0,3}))?$/;

/** Reads `v1`, `v1.1`, `v1.1.1`, `v2.0.1`; undefined for anything else (`v1.0`, `v01`, `V1`, `v1.`): such a version does not exist. */
export function parseVersion(text: string): VersionWish | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [, major, minor, patchedMinor, patch] = match;
  if (patch !== undefined) return { major: Number(major), minor: Number(patchedMinor), patch: Number(patch) };
  return minor === undefined ? { major: Number(major) } : { major: Number(major), minor: Number(minor) };
}

/** The one way to write a version: the shortest text of the grammar that names it. */
export function formatVersion({ major, minor, patch }: Version): string {
  if (patch > 0) return `v${major}.${minor}.${patch}`;
  return minor > 0 ? `v${major}.${minor}` : `v${major}`;
}

/** The version that a wish names when every component left out is 0: what an entry of a list or a command means. */
export function exactVersion({ major, minor = 0, patch = 0 }: VersionWish): Version {
  return { major, minor, patch };
}

/** Sorts the newest first. */
export function newestFirst(a: Version, b: Version): number {
  return b.major - a.major || b.minor - a.minor || b.patch - a.patch;
}

/** Whether a version is one that the wish may mean. */
export function fulfils(version: Version, wish: VersionWish): boolean {
  return (
    version.major === wish.major &&
    (wish.minor === undefined || version.minor === wish.minor) &&
    (wish.patch === undefined || version.patch === wish.patch)
  );
}
