import type { Money } from '../../model/money.js';
import type { ChangePolicy, DistancePolicy, PaymentType, Rate, Requirements } from '../../model/offers.js';
import type { Warnings } from '../../model/warnings.js';
import type { ChargeLine } from './charge-mapping.js';
import type { LinkedRates } from './linked-rates.js';
import { numberOf } from './numbers.js';
import type { OtaOptions } from './options.js';
import type { PaymentRules } from './payment-rules.js';
import { codeAttribute, rowOf } from './table.js';
import { RATE_CATEGORIES } from './vehicle-codes.js';
import { attribute, child, childrenNamed, flag, type XmlNode } from './wire.js';

/**
 * RateQualifier → the rate, with the discounts, tour and programs it applies. Categories 11 and 12 (list RTC) are
 * inclusive rates.
 */
export function rateOf(rate: XmlNode | undefined, payment: PaymentType, linked: LinkedRates): Rate {
  const qualifiers = childrenNamed(rate, 'RateQualifier');
  const qualifier = qualifiers[0];
  const category = codeAttribute(qualifier, 'RateCategory', 'RTC');
  const discounts = qualifiers.flatMap((one) => [attribute(one, 'CorpDiscountNmbr'), attribute(one, 'PromotionCode')]);
  return {
    code: attribute(qualifier, 'RateQualifier'),
    type: category === undefined ? undefined : (rowOf(RATE_CATEGORIES, category) ?? 'other'),
    payment,
    inclusive: category === '11' || category === '12',
    discountsApplied: [...discounts, linked.tourNumber, ...(linked.loyaltyPrograms ?? [])].filter(
      (code) => code !== undefined,
    ),
  };
}

const PERIODS: Readonly<Record<string, DistancePolicy['per']>> = {
  RentalPeriod: 'rental',
  Bundle: 'rental',
  Package: 'rental',
  Day: 'day',
  ExtraDay: 'day',
  Week: 'week',
  ExtraWeek: 'week',
  Month: 'month',
  ExtraMonth: 'month',
  Hour: 'hour',
  ExtraHour: 'hour',
};

/**
 * All RateDistance elements in order (one rate may have "500 per week and 100 per additional day"). Empty means
 * unknown.
 */
export function distancePoliciesOf(
  rate: XmlNode | undefined,
  overage: Money | undefined,
  options: OtaOptions,
  warnings: Warnings,
): DistancePolicy[] {
  const policies: DistancePolicy[] = [];
  for (const node of childrenNamed(rate, 'RateDistance')) {
    if (flag(node, 'Unlimited') === true) {
      policies.push({ unlimited: true });
      continue;
    }
    const value = numberOf(node, 'Quantity', options.money);
    const unit = distanceUnit(attribute(node, 'DistUnitName'), options);
    if (value === undefined || unit === undefined) {
      warnings.add(
        'incomplete',
        `RateDistance of ${attribute(node, 'Quantity') ?? '?'} ${attribute(node, 'DistUnitName') ?? '?'} left out`,
      );
      continue;
    }
    policies.push({
      unlimited: false,
      included: { value, unit },
      per: rowOf(PERIODS, attribute(node, 'VehiclePeriodUnitName')),
      overage,
    });
  }
  return policies;
}

/** OTA's unit names; Block (city blocks) has no length. */
function distanceUnit(name: string | undefined, options: OtaOptions): 'km' | 'mi' | undefined {
  if (name === undefined) return options.distanceUnit;
  if (/^mi/i.test(name)) return 'mi';
  return /^k/i.test(name) ? 'km' : undefined;
}

/**
 * RateRestrictions, RateQualifier@ArriveByFlight, a young driver charge, and the guarantee and cards of the payment
 * rules as requirements for the renter.
 */
export function requirementsOf(
  rate: XmlNode | undefined,
  lines: readonly ChargeLine[],
  { needsGuarantee, acceptedCards }: PaymentRules,
): Requirements {
  const restrictions = child(rate, 'RateRestrictions');
  return {
    minAge: numberOf(restrictions, 'MinimumAge'),
    maxAge: numberOf(restrictions, 'MaximumAge'),
    youngDriverFee: lines.find((line) => line.kind === 'young_driver')?.amount,
    flightRequired: flag(child(rate, 'RateQualifier'), 'ArriveByFlight'),
    creditCardRequired: needsGuarantee,
    acceptedCards: acceptedCards.length === 0 ? undefined : acceptedCards,
  };
}

/** RateRestrictions@ModificationPenaltyInd. Undefined if the supplier doesn't say. */
export function changesOf(rate: XmlNode | undefined): ChangePolicy | undefined {
  const penalty = flag(child(rate, 'RateRestrictions'), 'ModificationPenaltyInd');
  return penalty === undefined ? undefined : { penalty };
}

/**
 * The time until which the rate is guaranteed (RateGuarantee@AbsoluteDeadline), only if the supplier wrote it in UTC;
 * an offset is not trusted.
 */
export function expiresAtOf(rate: XmlNode | undefined): string | undefined {
  const deadline = attribute(child(rate, 'RateGuarantee'), 'AbsoluteDeadline');
  return deadline !== undefined &&
    /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/.test(deadline) &&
    !Number.isNaN(Date.parse(deadline))
    ? deadline
    : undefined;
}
