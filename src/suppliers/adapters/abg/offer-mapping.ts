import type { Cancellation, FuelPolicy, Requirements, SupplierLocation, SupplierOffer, Term, VehicleSearch } from '../../models.js';
import { isCurrency, type Money, parseMoney } from '../../money.js';
import { mapRentalPlace } from './location-mapping.js';
import { type AbgPayment, mapPrice, mapTaxesAndFees, youngDriverFee } from './price-mapping.js';
import type { AbgDiscounts } from './requests.js';
import { mapDistancePolicy, mapVehicle, webAddress } from './vehicle-mapping.js';
import { flag, group, list, numeric, scalar, text, type Wire, wireObject } from './wire.js';

/** What one call asked: the brand in our spelling and the codes as they were sent. */
export interface AbgVehicleQuestion {
  readonly brand: string;
  readonly pickupCode: string;
  readonly dropoffCode: string;
  readonly discounts: AbgDiscounts;
  readonly request: VehicleSearch;
}

/** ABG publishes no cancellation terms a machine could read. */
const UNKNOWN_CANCELLATION: Cancellation = { rules: [], source: 'unknown' };
const NO_REQUIREMENTS: Requirements = {};
const PAYMENTS: readonly AbgPayment[] = ['pay_later', 'pay_now'];

/** What is the same for every vehicle of an answer, read once. */
interface Frame {
  readonly question: AbgVehicleQuestion;
  readonly pickup: SupplierLocation;
  readonly dropoff: SupplierLocation;
  readonly terms: readonly Term[];
  readonly fuelPolicy: FuelPolicy;
  readonly distance: unknown;
  readonly discountCode: string | undefined;
  readonly couponCode: string | undefined;
  readonly datesDays: number;
  readonly ref: Readonly<Record<string, string>>;
}

/**
 * The offers of one availability answer, in the supplier's order: each vehicle gives one for every way to pay it has a usable total for,
 * pay later first. A row that cannot be sold (no currency, no total) is left out and named in `warnings`; no row can throw.
 */
export function mapOffers(
  body: Wire,
  rows: readonly unknown[],
  question: AbgVehicleQuestion,
  warnings: string[],
): readonly SupplierOffer[] {
  const frame = readFrame(body, question, warnings);
  const offers: SupplierOffer[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = wireObject(rows[index]);
    const problem = row ? addOffers(offers, row, frame) : 'is no object';
    if (problem !== undefined) warnings.push(`vehicles[${index}] ${problem}`);
  }
  return offers;
}

/** Appends the row's offers; returns what is wrong with it, if anything. */
function addOffers(offers: SupplierOffer[], row: Wire, frame: Frame): string | undefined {
  const rateTotals = group(row.rate_totals);
  const rate = group(rateTotals.rate);
  const currency = text(rate.currency)?.toUpperCase();
  if (currency === undefined || !isCurrency(currency)) return 'has no currency';
  const ways = PAYMENTS.filter((payment) => wireObject(rateTotals[payment]) !== undefined);
  const totals = wireObject(rateTotals.totals);
  if (ways.length === 0 && !totals) return 'has neither pay_later nor pay_now';

  const vehicle = mapVehicle(row);
  const charges = mapTaxesAndFees(rate.taxes_fees, currency);
  const distancePolicy = mapDistancePolicy(row.distance ?? frame.distance, currency);
  const days = numeric(rate.days);
  const rentalDays = days !== undefined && days >= 1 ? Math.ceil(days) : frame.datesDays;
  const onRequest = text(group(row.category).vehicle_status)?.toLowerCase() === 'onrequest';
  const youngFee = flag(rate.under_age_fee_applied) === true ? youngDriverFee(charges) : undefined;
  const requirements = youngFee ? { youngDriverFee: youngFee } : NO_REQUIREMENTS;
  const discountsApplied = appliedCodes(rate, frame);
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
      status: onRequest ? 'on_request' : 'available',
      supplierRef: {
        ...frame.ref,
        payment,
        ...(code !== undefined && { rateCode: code }),
        ...(vehicle.sippCode !== undefined && { sippCode: vehicle.sippCode }),
        ...(vehicle.classCode !== undefined && { classCode: vehicle.classCode }),
        ...(quoteId !== undefined && { quoteId }),
      },
      vehicle,
      pickup: frame.pickup,
      dropoff: frame.dropoff,
      pickupDate: frame.question.request.pickupDate,
      dropoffDate: frame.question.request.dropoffDate,
      rate: {
        ...(code !== undefined && { code }),
        ...(rateType !== undefined && { type: rateType }),
        payment,
        inclusive: false,
        discountsApplied,
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

/** The supplier's own total in the currency asked for: secondary fields add to the primary ones, never replace them. */
function displayTotal(secondary: Wire, payment: AbgPayment, currency: string): Money | undefined {
  const other = text(group(secondary.rate).currency)?.toUpperCase();
  if (other === undefined || other === currency || !isCurrency(other)) return undefined;
  return parseMoney(scalar(group(secondary[payment]).reservation_total), other);
}

/** The discount code of the rate (or of the answer), then the coupon where it really was applied. */
function appliedCodes(rate: Wire, frame: Frame): readonly string[] {
  const codes: string[] = [];
  const discount = text(group(rate.discount).code) ?? frame.discountCode;
  if (discount !== undefined) codes.push(discount);
  const ownCoupon = group(rate.coupon);
  if (flag(rate.coupon_applied ?? ownCoupon.coupon_applied) === true) {
    const coupon = text(ownCoupon.code) ?? frame.couponCode;
    if (coupon !== undefined) codes.push(coupon);
  }
  return codes;
}

function readFrame(body: Wire, question: AbgVehicleQuestion, warnings: string[]): Frame {
  const { brand, pickupCode, dropoffCode, discounts, request } = question;
  const reservation = group(body.reservation);
  if (!wireObject(body.reservation)) warnings.push('answer has no reservation block: places are as asked');
  const pickup = place(reservation.pickup_location, brand, pickupCode, request.pickup);
  const dropoff = place(reservation.dropoff_location, brand, dropoffCode, request.dropoff);
  const disclaimers = list(reservation.disclaimers);
  return {
    question,
    pickup,
    dropoff: dropoff.code === pickup.code && dropoff.name === pickup.name ? pickup : dropoff,
    terms: mapTerms(list(reservation.terms), disclaimers),
    fuelPolicy: fuelPolicyOf(disclaimers),
    distance: reservation.distance,
    discountCode: text(group(body.discount).code),
    couponCode: text(group(body.coupon).code) ?? discounts.couponCode,
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

function place(wire: unknown, brand: string, code: string, asked: VehicleSearch['pickup']): SupplierLocation {
  const known = { brand, code, countryCode: asked.countryCode, ...(asked.name !== undefined && { name: asked.name }) };
  return mapRentalPlace(wire, known);
}

/** Links first, then the texts, each in the supplier's order. */
function mapTerms(links: readonly unknown[], disclaimers: readonly unknown[]): readonly Term[] {
  const terms: Term[] = [];
  for (const entry of links) {
    const link = group(entry);
    const url = webAddress(link.endpoint);
    if (url !== undefined) terms.push({ kind: slug(text(link.type) ?? 'terms'), url });
  }
  for (const entry of disclaimers) {
    const disclaimer = group(entry);
    const words = text(disclaimer.description);
    if (words !== undefined) terms.push({ kind: slug(text(disclaimer.type) ?? 'disclaimer'), text: words });
  }
  return terms;
}

/** The policy exists only as a sentence of a disclaimer: "FUEL POLICY IS FULL TO FULL". Never guessed. */
const FUEL_SENTENCES: readonly (readonly [words: string, policy: FuelPolicy])[] = [
  ['FULL TO FULL', 'full_to_full'],
  ['FULL TO EMPTY', 'full_to_empty'],
  ['SAME TO SAME', 'same_to_same'],
  ['PREPAID', 'prepaid'],
];

function fuelPolicyOf(disclaimers: readonly unknown[]): FuelPolicy {
  for (const entry of disclaimers) {
    const words = text(group(entry).description)?.toUpperCase();
    if (!words?.includes('FUEL POLICY')) continue;
    for (const [sentence, policy] of FUEL_SENTENCES) if (words.includes(sentence)) return policy;
  }
  return 'unknown';
}

/** Started periods of 24 hours between two wall clocks, at least 1. */
function daysBetween(from: string, to: string): number {
  const hours = (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 3_600_000;
  return hours > 0 ? Math.ceil(hours / 24) : 1;
}

function slug(words: string): string {
  return words.toLowerCase().replaceAll(' ', '_');
}
