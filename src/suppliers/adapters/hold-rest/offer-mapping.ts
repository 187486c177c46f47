import type { Cancellation, DistancePolicy, Extra, LocalDateTime, SupplierLocation, SupplierOffer, Vehicle } from '../../models.js';
import { isCurrency, parseMoney } from '../../money.js';
import { type SupplierAnswer, SupplierError } from '../../supplier.js';
import { mapStation } from './location-mapping.js';
import { mapCoverages, mapExtras } from './option-mapping.js';
import { mapPrice } from './price-mapping.js';
import { type VehiclesWire, type VehicleWire, vehicleWire } from './wire.js';

/** What was asked, as far as the answer does not repeat it. */
export interface OfferQuestion {
  readonly brand: string;
  readonly pickupDate: LocalDateTime;
  readonly dropoffDate: LocalDateTime;
}

/** What all offers of an answer share. */
interface Frame extends OfferQuestion {
  readonly currency: string;
  readonly days: number;
  readonly pickup: SupplierLocation;
  readonly dropoff: SupplierLocation;
  readonly extras: readonly Extra[];
  readonly terms: VehiclesWire['terms'];
}

const UNLIMITED: readonly DistancePolicy[] = [{ unlimited: true }];
const UNKNOWN_CANCELLATION: Cancellation = { rules: [], source: 'unknown' };

/**
 * The vehicles of an answer in the supplier's order. One that cannot be read is a warning; when none of them can be, the answer is a bad
 * payload: "nothing found" would be untrue.
 */
export function mapOffers(wire: VehiclesWire, question: OfferQuestion): SupplierAnswer<SupplierOffer> {
  const frame = frameOf(wire, question);
  const items: SupplierOffer[] = [];
  const warnings: string[] = [];
  for (const [index, row] of wire.vehicles.entries()) {
    const read = vehicleWire.safeParse(row);
    const offer = read.success ? mapOffer(read.data, frame) : undefined;
    if (offer) items.push(offer);
    else warnings.push(`vehicles[${index}] is unreadable: ${read.error?.issues[0]?.path.join('.') || 'price.total'}`);
  }
  if (items.length === 0 && warnings.length > 0) throw new SupplierError('bad_payload', `no vehicle is readable: ${warnings[0]}`);
  return { items, warnings };
}

function frameOf(wire: VehiclesWire, question: OfferQuestion): Frame {
  const currency = wire.currency.toUpperCase();
  if (!isCurrency(currency)) throw new SupplierError('bad_payload', 'the currency of the answer is none');
  const pickup = mapStation(wire.pickup, question.brand);
  return {
    ...question,
    currency,
    days: wire.days,
    pickup,
    dropoff: wire.dropoff.code === wire.pickup.code ? pickup : mapStation(wire.dropoff, question.brand),
    extras: mapExtras(wire.extras, currency),
    terms: wire.terms,
  };
}

/** Undefined without a usable total. */
function mapOffer(wire: VehicleWire, frame: Frame): SupplierOffer | undefined {
  const { currency } = frame;
  const prepaid = wire.payment === 'prepaid';
  const price = mapPrice(wire.price, prepaid, currency);
  if (!price) return undefined;
  const deposit = parseMoney(wire.deposit?.amount, currency);
  return {
    brand: frame.brand,
    status: wire.onRequest ? 'on_request' : 'available',
    supplierRef: { rateId: wire.rateId, pickupCode: frame.pickup.code, dropoffCode: frame.dropoff.code },
    vehicle: mapVehicle(wire),
    pickup: frame.pickup,
    dropoff: frame.dropoff,
    pickupDate: frame.pickupDate,
    dropoffDate: frame.dropoffDate,
    rate: { payment: prepaid ? 'pay_now' : 'pay_later', inclusive: false, discountsApplied: [] },
    price,
    rentalDays: frame.days,
    distancePolicy: mapDistance(wire.distance, currency),
    fuelPolicy: wire.fuelPolicy ?? 'unknown',
    coverages: mapCoverages(wire.protections, currency),
    extras: frame.extras,
    deposit: deposit && { amount: deposit, takenAt: wire.deposit?.takenAt },
    cancellation: mapCancellation(wire.cancellation, currency),
    requirements: {
      minAge: wire.minAge,
      youngDriverFee: price.items.find(({ kind }) => kind === 'young_driver')?.amount,
    },
    terms: frame.terms,
  };
}

function mapVehicle(wire: VehicleWire): Vehicle {
  const named = [wire.make, wire.model].filter((part) => part !== undefined).join(' ');
  return {
    sippCode: wire.sipp,
    name: wire.name ?? (named || wire.class?.name || wire.sipp || 'Vehicle'),
    make: wire.make,
    model: wire.model,
    orSimilar: wire.orSimilar ?? false,
    classCode: wire.class?.code,
    className: wire.class?.name,
    seats: wire.seats,
    doors: wire.doors,
    bagsLarge: wire.bags?.large,
    bagsSmall: wire.bags?.small,
    imageUrl: wire.imageUrl,
    transmission: wire.transmission,
    airConditioning: wire.airConditioning,
    fuel: wire.fuel?.toLowerCase(),
  };
}

/** Empty when the supplier says nothing of distance. */
function mapDistance(wire: VehicleWire['distance'], currency: string): readonly DistancePolicy[] {
  if (!wire) return [];
  if (wire.unlimited) return UNLIMITED;
  const { included, unit, per } = wire;
  return [
    {
      unlimited: false,
      ...(included !== undefined && unit !== undefined && { included: { value: included, unit }, per: per ?? 'rental' }),
      overage: parseMoney(wire.overage, currency),
    },
  ];
}

/** The one rule: the fee, from the end of the free time or, where the rate cannot be refunded, at any time. */
function mapCancellation(wire: VehicleWire['cancellation'], currency: string): Cancellation {
  if (!wire) return UNKNOWN_CANCELLATION;
  const { refundable, freeUntil } = wire;
  const fee = parseMoney(wire.fee, currency);
  return { refundable, freeUntil, rules: fee ? [{ from: freeUntil, fee }] : [], source: 'structured' };
}
