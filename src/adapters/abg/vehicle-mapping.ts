import { type Money, optionalAmount, parseMoney, parseQuantity } from '../../model/money.js';
import type { DistancePolicy, OfferStatus, Vehicle } from '../../model/offers.js';
import { ownPart } from '../../model/own-copy.js';
import type { Warnings } from '../../model/warnings.js';
import { flag, group, numeric, scalar, text, type Wire, word } from './wire.js';

const SIPP = /^[A-Z]{4}$/;

/**
 * category, features and capacity of a `vehicles[]` row. Never fails: the name falls back to make and model, class
 * name, then code.
 */
export function mapVehicle(row: Wire): Vehicle {
  const category = group(row.category);
  const capacity = group(row.capacity);
  const luggage = group(capacity.luggage_capacity);
  const sippCode = mapSippCode(category.sipp_code);
  const classCode = word(category.vehicle_class_code);
  const className = word(category.vehicle_class_name);
  const make = word(category.make);
  const model = word(category.model);
  const label = word(category.name);
  const name = label && plainName(label, classCode);
  const transmission = text(category.vehicle_transmission)?.toLowerCase();
  const airConditioning = flag(group(row.features).air_conditioned);
  const fuel = word(capacity.fuel_type)?.toLowerCase();
  const seats = count(capacity.seats);
  const doors = doorCount(capacity.doors);
  const bagsLarge = count(luggage.large_suitcase);
  const bagsSmall = count(luggage.small_suitcase);
  const imageUrl = webAddress(category.image_url) ?? webAddress(category.small_image_url);
  return {
    sippCode,
    name: name ?? ([make, model].filter(Boolean).join(' ') || className || sippCode || 'Vehicle'),
    make,
    model,
    orSimilar: label?.toLowerCase().includes('or similar') ?? false,
    classCode,
    className,
    seats,
    doors,
    bagsLarge,
    bagsSmall,
    imageUrl,
    transmission: transmission === 'manual' || transmission === 'automatic' ? transmission : undefined,
    airConditioning,
    fuel,
  };
}

/** An ACRISS code in capitals; undefined for anything else. */
export function mapSippCode(value: unknown): string | undefined {
  const code = text(value)?.toUpperCase();
  return code !== undefined && SIPP.test(code) ? code : undefined;
}

/** "Group A - Fiat 500 or similar" → "Fiat 500": the group is classCode, the rest is orSimilar. */
function plainName(label: string, classCode: string | undefined): string | undefined {
  const prefix = `Group ${classCode} - `;
  const withoutGroup = classCode !== undefined && label.startsWith(prefix) ? label.slice(prefix.length) : label;
  const tail = withoutGroup.toLowerCase().lastIndexOf('or similar');
  const name = (tail === -1 ? withoutGroup : withoutGroup.slice(0, tail)).trim();
  return name === '' ? undefined : ownPart(name, label);
}

/** A whole number, including zero; undefined for text like "5+2". */
function count(value: unknown): number | undefined {
  const number = numeric(value);
  return number !== undefined && number >= 0 && Number.isInteger(number) ? number : undefined;
}

function doorCount(value: unknown): number | string | undefined {
  const number = count(value);
  if (number !== undefined) return number > 0 ? number : undefined;
  const range = text(value)?.replace('/', '-').replaceAll(' ', '');
  return range !== undefined && /^\d-\d$/.test(range) ? range : undefined;
}

/** An absolute http or https URL; undefined otherwise. */
export function webAddress(value: unknown): string | undefined {
  const url = text(value);
  return url !== undefined && (url.startsWith('https://') || url.startsWith('http://')) ? url : undefined;
}

const UNLIMITED: readonly DistancePolicy[] = [{ unlimited: true }];

/**
 * `distance` of a vehicle or an answer: the included distance of the complete rental. Empty if the supplier doesn't
 * state it.
 */
export function mapDistancePolicy(distance: unknown, currency: string, warnings: Warnings): readonly DistancePolicy[] {
  const wire = group(distance);
  const unlimited = flag(wire.unlimited_distance);
  if (unlimited === undefined) return [];
  if (unlimited) return UNLIMITED;
  const covered = text(wire.distance_covered);
  const value = covered === undefined ? undefined : parseQuantity(covered);
  const unit = distanceUnit(wire.distance_unit);
  const overage = distancePrice(wire.distance_overage, currency, warnings);
  return [
    {
      unlimited: false,
      ...(value !== undefined && unit !== undefined && { included: { value, unit }, per: 'rental' as const }),
      ...(overage && overage.amountMinor > 0 && { overage }),
    },
  ];
}

/** A price per kilometer or mile may have more decimals than its currency; then it is left out with a warning. */
function distancePrice(value: unknown, currency: string, warnings: Warnings): Money | undefined {
  return optionalAmount(() => parseMoney(scalar(value), currency), warnings, 'distance_overage');
}

/** "Mile", "Miles", "miles", "Kilometers", "KM"; undefined for any other word. */
function distanceUnit(value: unknown): 'km' | 'mi' | undefined {
  const unit = text(value)?.toLowerCase();
  if (unit?.startsWith('mi')) return 'mi';
  return unit?.startsWith('k') ? 'km' : undefined;
}

/** Whether a vehicle must be confirmed manually; `unstated` if it says nothing. Undefined for a word that isn't known. */
export function vehicleStatus(category: Wire, unstated: OfferStatus): OfferStatus | undefined {
  switch (
    word(category.vehicle_status)
      ?.toLowerCase()
      .replace(/[\s_-]/g, '')
  ) {
    case 'onrequest':
      return 'on_request';
    case 'available':
      return 'available';
    case undefined:
      return unstated;
    default:
      return undefined;
  }
}
