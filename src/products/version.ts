/** An exact version of a product: 1.1.0 is written v1.1, 2.0.1 is written v2.0.1 (spec §9.1). */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** A requested version: a major, a minor or an exact version; omitted components mean the newest (ruling 20). */
export interface RequestedVersion {
  readonly major: number;
  readonly minor?: number;
  readonly patch?: number;
}

// A minor of 0 is written only before a patch, a patch of 0 never. Numbers have no leading zeros and at most four
// digits.
const GRAMMAR = /^v([1-9]\d{0,3})(?:\.([1-9]\d{0,3})|\.(0|[1-9]\d{0,3})\.([1-9]\d{0,3}))?$/;

/** Parses `v1`, `v1.1`, `v1.1.1` or `v2.0.1`; undefined for anything else, such as `v1.0`, `v01`, `V1` or `v1.`. */
export function parseVersion(text: string): RequestedVersion | undefined {
  const match = GRAMMAR.exec(text);
  if (!match) return undefined;
  const [, major, minor, patchedMinor, patch] = match;
  if (patch !== undefined) return { major: Number(major), minor: Number(patchedMinor), patch: Number(patch) };
  return minor === undefined ? { major: Number(major) } : { major: Number(major), minor: Number(minor) };
}

/** The canonical label of a version: the shortest form that the grammar allows. */
export function formatVersion({ major, minor, patch }: Version): string {
  if (patch > 0) return `v${major}.${minor}.${patch}`;
  return minor > 0 ? `v${major}.${minor}` : `v${major}`;
}

/** The exact version of a request whose omitted components are 0, as in configuration files and commands. */
export function exactVersion({ major, minor = 0, patch = 0 }: RequestedVersion): Version {
  return { major, minor, patch };
}

/** Sorts newest first. */
export function newestFirst(a: Version, b: Version): number {
  return b.major - a.major || b.minor - a.minor || b.patch - a.patch;
}

/** Whether a version matches a requested one. */
export function fulfils(version: Version, requested: RequestedVersion): boolean {
  return (
    version.major === requested.major &&
    (requested.minor === undefined || version.minor === requested.minor) &&
    (requested.patch === undefined || version.patch === requested.patch)
  );
}
