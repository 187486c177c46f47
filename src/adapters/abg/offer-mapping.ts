import type { SupplierLocation } from '../../model/locations.js';
import { isCurrency, type Money, parseMoney, UnreadableAmountError } from '../../model/money.js';
import type { FuelPolicy, Requirements, SupplierOffer, Term, Vehicle, VehicleSearch } from '../../model/offers.js';
import { ownPart } from '../../model/own-copy.js';
import { SupplierError } from '../../model/supplier.js';
import type { WarningKind, Warnings } from '../../model/warnings.js';
import { type AbgPayment, mapPrice, mapTaxesAndFees, youngDriverFee } from './price-mapping.js';
import {
  appliedCodes,
  daysBetween,
  fuelPolicyOf,
  type MentionedCodes,
  mapPlaces,
  mapTerms,
  UNKNOWN_CANCELLATION,
} from './rental-mapping.js';
import type { AbgDiscounts } from './requests.js';
import { mapDistancePolicy, mapVehicle, vehicleStatus } from './vehicle-mapping.js';
import { flag, group, list, numeric, scalar, text, type Wire, wireObject } from './wire.js';

/** What one call requested: the brand in our spelling and the codes as sent. */
export interface AbgVehicleQuestion {
  readonly brand: string;
  readonly pickupCode: string;
  readonly dropoffCode: string;
  readonly discounts: AbgDiscounts;
  readonly request: VehicleSearch;
}

const MOST_NAME_CHARACTERS = 40;
const NO_REQUIREMENTS: Requirements = {};
const PAYMENTS: readonly AbgPayment[] = ['pay_later', 'pay_now'];

/** What all vehicles of an answer share, read once. */
interface Frame {
  readonly question: AbgVehicleQuestion;
  readonly pickup: SupplierLocation;
  readonly dropoff: SupplierLocation;
  readonly terms: readonly Term[];
  readonly fuelPolicy: FuelPolicy;
  readonly distance: unknown;
  readonly codes: MentionedCodes;
  readonly datesDays: number;
  readonly ref: Readonly<Record<string, string>>;
  readonly warnings: Warnings;
}

/**
 * The offers of one availability answer, in the supplier's order. Each vehicle gives one offer per payment type with a
 * usable total, pay later first. A row that can't be sold (no currency, no total, an unreadable amount) is left out and named in `warnings`;
 * no row throws. Throws SupplierError bad_payload if no offer is left.
 */
export function mapOffers(
  body: Wire,
  rows: readonly unknown[],
  question: AbgVehicleQuestion,
  warnings: Warnings,
): readonly SupplierOffer[] {
  const frame = readFrame(body, question, warnings);
  const offers: SupplierOffer[] = [];
  let unreadable: string | undefined;
  for (let index = 0; index < rows.length; index += 1) {
    const row = wireObject(rows[index]);
    const before = offers.length;
    let kind: WarningKind = 'row_dropped';
    let problem: string | undefined = 'is not an object';
    try {
      if (row) problem = addOffers(offers, row, frame);
    } catch (error) {
      if (!(error instanceof UnreadableAmountError)) throw error;
      offers.length = before;
      kind = 'amount_rejected';
      problem = `is unreadable: ${error.message}`;
    }
    if (problem === undefined) continue;
    warnings.add(kind, `vehicles[${index}] ${problem}`);
    unreadable ??= problem;
  }
  // "Nothing found" would be wrong.
  if (offers.length === 0 && unreadable !== undefined)
    throw new SupplierError('bad_payload', `no car could be read: the first ${unreadable}`);
  return offers;
}

/** Appends the row's offers; returns the problem with the row, if any. */
function addOffers(offers: SupplierOffer[], row: Wire, frame: Frame): string | undefined {
  const rateTotals = group(row.rate_totals);
  const rate = group(rateTotals.rate);
  const currency = text(rate.currency)?.toUpperCase();
  if (currency === undefined || !isCurrency(currency)) return 'has no currency';
  const ways = PAYMENTS.filter((payment) => wireObject(rateTotals[payment]) !== undefined);
  const totals = wireObject(rateTotals.totals);
  if (ways.length === 0 && !totals) return 'has neither pay_later nor pay_now';
  const status = vehicleStatus(group(row.category), 'available');
  if (!status) return 'has an unknown vehicle_status';

  const vehicle = mapVehicle(row);
  const underAge = flag(rate.under_age_fee_applied) === true;
  const charges = mapTaxesAndFees(rate.taxes_fees, currency, underAge);
  const distancePolicy = mapDistancePolicy(row.distance ?? frame.distance, currency, frame.warnings);
  const days = numeric(rate.days);
  const rentalDays = days !== undefined && days >= 1 ? Math.ceil(days) : frame.datesDays;
  const onRequest = status === 'on_request';
  const youngFee = underAge ? youngDriverFee(charges) : undefined;
  const requirements = youngFee ? { youngDriverFee: youngFee } : NO_REQUIREMENTS;
  const rateType = text(rate.rate_type)?.toLowerCase();
  const quoteId = text(rate.quote_id);
  const secondary = group(row.secondary_rate_totals);
  let problem: string | undefined;

  for (const payment of ways.length > 0 ? ways : (['pay_later'] as const)) {
    const pay = group(rateTotals[payment] ?? totals);
    const total = parseMoney(scalar(pay.reservation_total), currency);
    if (!total || total.amountMinor <= 0) {
      problem = `has no usable ${payment} total`;
      continue;
    }
    const code = text(pay.rate_code) ?? text(rate.rate_code);
    offers.push({
      brand: frame.question.brand,
      status,
      supplierRef: {
        ...frame.ref,
        payment,
        ...(code !== undefined && { rateCode: code }),
        ...(vehicle.sippCode !== undefined && { sippCode: vehicle.sippCode }),
        ...(vehicle.classCode !== undefined && { classCode: vehicle.classCode }),
        ...(quoteId !== undefined && { quoteId }),
        ...(onRequest && { onRequest }),
        ...(underAge && { underAge }),
        age: frame.question.request.age,
        vehicleName: shortName(vehicle),
      },
      vehicle,
      pickup: frame.pickup,
      dropoff: frame.dropoff,
      // Neither availability nor rate answers state dates, so the engine can't compare them with the request.
      pickupDate: frame.question.request.pickupDate,
      dropoffDate: frame.question.request.dropoffDate,
      rate: {
        ...(code !== undefined && { code }),
        ...(rateType !== undefined && { type: rateType }),
        payment,
        inclusive: false,
        discountsApplied: appliedCodes(rate, pay, frame.codes),
      },
      price: mapPrice(pay, payment, total, charges, displayTotal(secondary, payment, currency)),
      rentalDays,
      distancePolicy,
      fuelPolicy: frame.fuelPolicy,
      coverages: [],
      extras: [],
      cancellation: UNKNOWN_CANCELLATION,
      requirements,
      terms: frame.terms,
    });
  }
  return problem;
}

/** The supplier's total in the requested currency: secondary fields supplement the primary ones, never replace them. */
function displayTotal(secondary: Wire, payment: AbgPayment, currency: string): Money | undefined {
  const other = text(group(secondary.rate).currency)?.toUpperCase();
  if (other === undefined || other === currency || !isCurrency(other)) return undefined;
  return parseMoney(scalar(group(secondary[payment]).reservation_total), other);
}

function readFrame(body: Wire, question: AbgVehicleQuestion, warnings: Warnings): Frame {
  const { brand, pickupCode, dropoffCode, discounts, request } = question;
  const reservation = group(body.reservation);
  if (!wireObject(body.reservation))
    warnings.add('incomplete', 'the answer has no reservation; places are taken from the request');
  const { pickup, dropoff } = mapPlaces(reservation, brand, pickupCode, dropoffCode, request);
  const disclaimers = list(reservation.disclaimers);
  return {
    question,
    warnings,
    pickup,
    dropoff,
    terms: mapTerms(list(reservation.terms), disclaimers),
    fuelPolicy: fuelPolicyOf(disclaimers),
    distance: reservation.distance,
    codes: {
      discountCode: text(group(body.discount).code) ?? discounts.discountCode,
      couponCode: text(group(body.coupon).code) ?? discounts.couponCode,
    },
    datesDays: daysBetween(request.pickupDate, request.dropoffDate),
    ref: {
      brand,
      pickupCode: pickup.code,
      dropoffCode: dropoff.code,
      countryCode: request.countryCode,
      ...(discounts.discountCode !== undefined && { discountCode: discounts.discountCode }),
      ...(discounts.couponCode !== undefined && { couponCode: discounts.couponCode }),
      ...(discounts.iataNumber !== undefined && { iataNumber: discounts.iataNumber }),
    },
  };
}

/** A rate answer has no vehicle, so the name travels in the ref and thus in the offer id, which must stay short. */
function shortName({ name }: Vehicle): string {
  return ownPart(name.slice(0, MOST_NAME_CHARACTERS).trim(), name);
}
