import type { Loyalty } from '../../model/offers.js';
import { attribute, child, childrenNamed, type XmlNode } from './wire.js';

/** The tour and the memberships of an answer that rates can refer to, by their RPH. */
interface RateLinks {
  readonly tours: ReadonlyMap<string, string>;
  /** Programs; never membership numbers. */
  readonly programs: ReadonlyMap<string, string>;
}

/** What one rate is linked to: it is sold only for that tour or to members of those programs. */
export interface LinkedRates {
  readonly tourNumber?: string;
  readonly loyaltyPrograms?: readonly string[];
}

/**
 * TourInfo of a vendor's Info, and CustLoyalty of the answer's customer; otherwise the requested memberships, which
 * count from 1.
 */
export function rateLinksOf(root: XmlNode, info: XmlNode | undefined, requested: readonly Loyalty[]): RateLinks {
  const primary = child(child(child(root, 'VehAvailRSInfo'), 'Customer'), 'Primary');
  const stated = byRph(childrenNamed(primary, 'CustLoyalty'), 'ProgramID');
  const asked = requested.flatMap(({ program }, index): [string, string][] =>
    program === undefined ? [] : [[String(index + 1), program]],
  );
  return {
    tours: byRph(childrenNamed(info, 'TourInfo'), 'TourNumber'),
    programs: new Map([...asked, ...stated]),
  };
}

/** What a rate is linked to; undefined if it refers to something that the answer doesn't have. */
export function linkedRatesOf(rate: XmlNode | undefined, links: RateLinks): LinkedRates | undefined {
  const qualifier = child(rate, 'RateQualifier');
  const tourRph = attribute(qualifier, 'TourInfoRPH');
  const loyaltyRphs = attribute(qualifier, 'CustLoyaltyRPH')?.split(/\s+/);
  const tourNumber = tourRph === undefined ? undefined : links.tours.get(tourRph);
  const loyaltyPrograms = loyaltyRphs?.flatMap((rph) => links.programs.get(rph) ?? []);
  const isKnown =
    (tourRph === undefined || tourNumber !== undefined) && loyaltyPrograms?.length === loyaltyRphs?.length;
  return isKnown ? { tourNumber, loyaltyPrograms } : undefined;
}

function byRph(nodes: readonly XmlNode[], name: string): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap((node): [string, string][] => {
      const rph = attribute(node, 'RPH');
      const value = attribute(node, name);
      return rph === undefined || value === undefined ? [] : [[rph, value]];
    }),
  );
}
