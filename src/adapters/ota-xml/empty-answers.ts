import { SupplierError } from '../../model/supplier.js';
import type { Warnings } from '../../model/warnings.js';
import type { XmlNode } from './wire.js';

/**
 * What a successful message may contain although it has no results: for each element, what is allowed inside it.
 * 'any': anything.
 */
export interface EmptyShape {
  readonly [element: string]: 'any' | EmptyShape;
}

const ALWAYS: EmptyShape = { Success: 'any', Warnings: 'any', TPA_Extensions: 'any' };

/** OTA_VehAvailRateRS without cars. */
export const NO_CARS: EmptyShape = {
  VehAvailRSCore: {
    VehRentalCore: 'any',
    VehVendorAvails: { VehVendorAvail: { Vendor: 'any', Info: 'any', VehAvails: {} } },
    VehVendorAvail: { Vendor: 'any', Info: 'any', VehAvails: {} },
  },
  VehAvailRSInfo: 'any',
};

/** OTA_VehLocSearchRS without locations. */
export const NO_LOCATIONS: EmptyShape = { VehMatchedLocs: {}, Vendor: 'any' };

/** OTA_VehRateRuleRS without a price. */
export const NO_PRICE: EmptyShape = { VehRentalCore: 'any', Vendor: 'any' };

/** OTA_VehRetResRS without reservations. */
export const NO_RESERVATIONS: EmptyShape = {
  VehRetResRSCore: { VehResSummaries: {}, TPA_Extensions: 'any' },
  VehRetResRSInfo: { TPA_Extensions: 'any' },
};

/** The same with the reason: some suppliers write errors and warnings without their containers. */
export const NONE_FOUND: EmptyShape = { ...NO_RESERVATIONS, Errors: 'any', Error: 'any', Warning: 'any' };

/** The namespace of every OTA version since 2003. */
const OTA_NAMESPACE = 'http://www.opentravel.org/OTA/2003/05';

/**
 * Decides what a successful message without results means (docs/trade.md#empty-answers). Adds a warning if it states
 * nothing at all; an empty list or a Warning is a statement. Throws SupplierError `bad_payload` if it has content that
 * is not understood, or is of another version: its results may be there under other names.
 */
export function judgeEmpty(root: XmlNode, shape: EmptyShape, namespace: string, warnings: Warnings): void {
  refuseStrangers(root, shape);
  if (isOtherVersion(root, namespace))
    throw new SupplierError('bad_payload', `${root.name} without results in an unknown namespace`);
  if (root.children.every(({ name }) => name === 'Success'))
    warnings.add('incomplete', `${root.name} has Success and nothing else, taken as empty`);
}

/** Throws SupplierError `bad_payload` if a message without results has content that the shape does not have. */
export function refuseStrangers(root: XmlNode, shape: EmptyShape): void {
  const stranger = strangerIn(root, { ...ALWAYS, ...shape });
  if (stranger !== undefined)
    throw new SupplierError('bad_payload', `${root.name} without results, but with ${stranger.slice(0, 60)}`);
}

/** Whether a message declares namespaces, but neither OTA's nor the supplier's (`namespace`). */
export function isOtherVersion(root: XmlNode, namespace: string): boolean {
  const declared = Object.entries(root.attributes).flatMap(([name, value]) =>
    /^xmlns(:|$)/.test(name) && value !== '' && !/XMLSchema(?:-instance)?$/.test(value) ? [value] : [],
  );
  return declared.length > 0 && !declared.some((one) => one === OTA_NAMESPACE || one === namespace);
}

/** Name of the first element that the shape does not have; undefined if there is none. */
function strangerIn(node: XmlNode, shape: EmptyShape): string | undefined {
  for (const part of node.children) {
    const inside = Object.hasOwn(shape, part.name) ? shape[part.name] : undefined;
    if (inside === undefined) return part.name;
    const deeper = inside === 'any' ? undefined : strangerIn(part, inside);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}
