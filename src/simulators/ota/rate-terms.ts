import { discountPercentOf, isKnownCode } from '../discounts.js';
import { attribute, child, childrenNamed, items, type XmlNode } from './wire.js';

/** What changes the price of every car besides the rental itself. */
export interface RateTerms {
  readonly discountPercent: number;
  readonly additionalDrivers: number;
  /** The codes that the supplier knows and has applied. */
  readonly corporateCode: string | undefined;
  readonly promotionCode: string | undefined;
}

/** EquipType of an additional driver. */
const ADDITIONAL_DRIVER = '67';

/** The terms of an OTA_VehAvailRateRQ: its codes and memberships, and the additional drivers among its equipment. */
export function askedTerms(core: XmlNode | undefined, info: XmlNode | undefined): RateTerms {
  const primary = child(child(info, 'Customer'), 'Primary');
  const drivers = items(core, 'SpecialEquipPrefs', 'SpecialEquipPref').find(
    (pref) => attribute(pref, 'EquipType') === ADDITIONAL_DRIVER,
  );
  const memberships = childrenNamed(primary, 'CustLoyalty').map((member) => attribute(member, 'MembershipID'));
  return {
    ...codeTerms(core, memberships),
    additionalDrivers: drivers ? Number(attribute(drivers, 'Quantity') ?? 1) : 0,
  };
}

/** The terms under which a rate was quoted: those of its Reference; without one, those of the request's codes. */
export function quotedTerms(core: XmlNode | undefined, reference: XmlNode | undefined): RateTerms {
  const byCodes = codeTerms(core, []);
  const id = attribute(reference, 'ID');
  if (id === undefined) return { ...byCodes, additionalDrivers: 0 };
  const [, discount = 0, drivers = 0] = /-D(\d{1,2})A(\d)$/.exec(id) ?? [];
  return { ...byCodes, discountPercent: Number(discount), additionalDrivers: Number(drivers) };
}

/** The end of a Reference ID for these terms; empty if they change nothing. */
export function termsSuffix({ discountPercent, additionalDrivers }: RateTerms): string {
  return discountPercent + additionalDrivers > 0 ? `-D${discountPercent}A${additionalDrivers}` : '';
}

function codeTerms(core: XmlNode | undefined, memberships: readonly (string | undefined)[]) {
  const qualifiers = childrenNamed(core, 'RateQualifier');
  const corporate = qualifiers.map((one) => attribute(one, 'CorpDiscountNmbr'));
  const promotions = qualifiers.map((one) => attribute(one, 'PromotionCode'));
  return {
    discountPercent: discountPercentOf([...corporate, ...promotions], memberships),
    corporateCode: corporate.find(isKnownCode),
    promotionCode: promotions.find(isKnownCode),
  };
}
