import type { RentalRequest } from '../../model/bookings.js';
import { isCurrency, parseMoney } from '../../model/money.js';
import type { SupplierOffer, Vehicle } from '../../model/offers.js';
import { SupplierError } from '../../model/supplier.js';
import type { Warnings } from '../../model/warnings.js';
import { type AbgRef, isUnderAge, readRef } from './booking-ref.js';
import {
  coveragesInRate,
  extrasInRate,
  itemiseOptions,
  mapCoverages,
  mapExtras,
  mapNoShowFee,
} from './option-mapping.js';
import { mapPrice, mapTaxesAndFees, youngDriverFee } from './price-mapping.js';
import {
  appliedCodes,
  daysBetween,
  fuelPolicyOf,
  mapPlaces,
  mapTerms,
  UNKNOWN_CANCELLATION,
} from './rental-mapping.js';
import { mapDistancePolicy, mapSippCode } from './vehicle-mapping.js';
import { flag, group, list, numeric, scalar, text, type Wire } from './wire.js';

/**
 * The offer that the `reservation` of a rate answer prices. The total is the supplier's, whether or not it reflects the
 * chosen extras; the ref has the rate code, quote id and location codes of the answer. Throws bad_payload if there is no currency or
 * usable total.
 */
export function mapQuote(reservation: Wire, request: RentalRequest, warnings: Warnings): SupplierOffer {
  const ref = readRef(request.ref);
  const { rate: rateWire, totals: totalsWire } = group(reservation.rate_totals);
  const rate = group(rateWire);
  const totals = group(totalsWire);
  const currency = text(rate.currency)?.toUpperCase() ?? '';
  const total = isCurrency(currency) ? parseMoney(scalar(totals.reservation_total), currency) : undefined;
  if (!total || total.amountMinor <= 0)
    throw new SupplierError('bad_payload', 'abg priced a rental without a usable total');

  const underAge = flag(rate.under_age_fee_applied) ?? isUnderAge(ref, request.age);
  const charges = mapTaxesAndFees(rate.taxes_fees, currency, underAge);
  const days = numeric(rate.days);
  const rentalDays =
    days !== undefined && days >= 1 ? Math.ceil(days) : daysBetween(request.pickupDate, request.dropoffDate);
  const disclaimers = list(reservation.disclaimers);
  const rateCode = text(rate.rate_code) ?? ref.rateCode;
  const rateType = text(rate.rate_type)?.toLowerCase();
  const quoteId = text(rate.quote_id) ?? ref.quoteId;
  const youngFee = youngDriverFee(charges);
  const places = mapPlaces(reservation, request.brand, ref.pickupCode, ref.dropoffCode, request);
  const price = mapPrice(totals, ref.payment, total, charges, undefined);
  const inRate = [
    ...extrasInRate(reservation.extras, request.extras, ref.inRate),
    ...coveragesInRate(reservation.insurance, price.coverages, rentalDays, request.coverages, ref.inRate),
  ];
  const noShowFee = mapNoShowFee(reservation.extras, currency, warnings);
  return {
    brand: request.brand,
    status: ref.onRequest ? 'on_request' : 'available',
    supplierRef: {
      ...request.ref,
      pickupCode: places.pickup.code,
      dropoffCode: places.dropoff.code,
      rateCode,
      ...(quoteId !== undefined && { quoteId }),
      ...((inRate.length > 0 || ref.inRate.length > 0) && { inRate: inRate.join(' ') }),
    },
    vehicle: vehicleOf(ref),
    ...places,
    pickupDate: request.pickupDate,
    dropoffDate: request.dropoffDate,
    rate: {
      code: rateCode,
      ...(rateType !== undefined && { type: rateType }),
      payment: ref.payment,
      inclusive: false,
      discountsApplied: appliedCodes(rate, totals, ref),
    },
    price: itemiseOptions(price, reservation, inRate),
    rentalDays,
    distancePolicy: mapDistancePolicy(reservation.distance, currency, warnings),
    fuelPolicy: fuelPolicyOf(disclaimers),
    coverages: mapCoverages(reservation.insurance, currency, inRate),
    extras: mapExtras(reservation.extras, currency, inRate),
    cancellation: { ...UNKNOWN_CANCELLATION, ...(noShowFee && { noShowFee }) },
    requirements: youngFee ? { youngDriverFee: youngFee } : {},
    terms: mapTerms(list(reservation.terms), disclaimers),
  };
}

/**
 * A rate answer has no vehicle, so this is what the ref carries from the search. A rate sells a class, never a model.
 */
function vehicleOf({ sippCode, classCode, vehicleName }: AbgRef): Vehicle {
  const code = mapSippCode(sippCode);
  return {
    ...(code !== undefined && { sippCode: code }),
    name: vehicleName ?? sippCode,
    orSimilar: true,
    ...(classCode !== undefined && { classCode }),
  };
}
