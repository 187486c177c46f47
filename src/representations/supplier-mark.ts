import { createHash } from 'node:crypto';

/** A neutral mark instead of a supplier's logo, which the gateway has no right to show: two letters on a colored square. */
export interface SupplierMark {
  /** One or two capital letters or digits. */
  readonly letters: string;
  /** Degrees, in steps of 15. */
  readonly hue: number;
}

const STEP = 15;

/** The mark of a supplier. Nothing but its name and id decide about it, so it is the same on every gateway. */
export function markOf({ id, name }: { readonly id: string; readonly name: string }): SupplierMark {
  const words = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toUpperCase()
    .match(/[A-Z0-9]+/g) ?? [id.toUpperCase()];
  const letters = words.length > 1 ? `${words[0]?.[0]}${words[1]?.[0]}` : (words[0] ?? '').slice(0, 2);
  const [byte = 0] = createHash('sha256').update(id).digest();
  return { letters, hue: (byte % (360 / STEP)) * STEP };
}

/** The name of a mark's picture: it says everything about it, so that reading one reveals nothing about suppliers. */
export function markName({ letters, hue }: SupplierMark): string {
  return `${letters}-${hue}`;
}

/** Reads the name of a mark. Undefined if no mark has this name. */
export function readMark(name: string): SupplierMark | undefined {
  const [, letters, degrees] = /^([A-Z0-9]{1,2})-(0|[1-9]\d{1,2})$/.exec(name) ?? [];
  const hue = Number(degrees);
  return letters === undefined || hue >= 360 || hue % STEP !== 0 ? undefined : { letters, hue };
}

/** The SVG of a mark: readable on light and dark pages, without a style sheet. */
export function markSvg({ letters, hue }: SupplierMark): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" rx="12" fill="hsl(${hue},55%,33%)"/><text x="32" y="42" text-anchor="middle" font-family="system-ui,sans-serif" font-size="28" font-weight="600" fill="#fff">${letters}</text></svg>`;
}
