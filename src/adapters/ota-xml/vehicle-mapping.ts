import type { Vehicle } from '../../model/offers.js';
import { numberOf } from './numbers.js';
import { codeAttribute, rowOf } from './table.js';
import { CATEGORY_NAMES, SIZE_NAMES } from './vehicle-codes.js';
import { attribute, child, flag, textOf, type XmlNode } from './wire.js';

// Matches only at the first separator; otherwise a long run of blanks would be scanned from each of them.
const OR_SIMILAR = /(?<![\s,(/-])[\s,(/-]*\bor\s+similar\b\.?[\s)]*$/i;

/**
 * One Vehicle element. The SIPP code is set only if the supplier sent four letters; it is never derived from size and
 * category (docs/trade.md#loose-vehicle-data). Without a model name the car is named by its description, otherwise by
 * size and category.
 */
export function mapVehicle(vehicle: XmlNode | undefined): Vehicle {
  const makeModel = child(vehicle, 'VehMakeModel');
  const code = (attribute(vehicle, 'Code') ?? attribute(makeModel, 'Code'))?.toUpperCase();
  const sippCode = code !== undefined && /^[A-Z]{4}$/.test(code) ? code : undefined;
  const size = rowOf(SIZE_NAMES, codeAttribute(child(vehicle, 'VehClass'), 'Size', 'SIZ'));
  const type = child(vehicle, 'VehType');
  const category = rowOf(CATEGORY_NAMES, codeAttribute(type, 'VehicleCategory', 'VEC'));
  const classCode = attribute(vehicle, 'VendorCarType');
  const stated =
    attribute(makeModel, 'Name') ?? attribute(vehicle, 'Description') ?? textOf(child(vehicle, 'Description'));
  const group = [size, category].filter((word) => word !== undefined).join(' ');
  const name = stated?.replace(OR_SIMILAR, '').trim();
  return {
    sippCode,
    name: name || group || classCode || sippCode || 'Car',
    orSimilar: stated !== undefined && OR_SIMILAR.test(stated),
    classCode,
    className: size,
    seats: wholeNumber(vehicle, 'PassengerQuantity'),
    doors: doorsOf(attribute(type, 'DoorCount')),
    bagsLarge: wholeNumber(vehicle, 'BaggageQuantity'),
    imageUrl: imageUrlOf(textOf(child(vehicle, 'PictureURL'))),
    transmission: transmissionOf(attribute(vehicle, 'TransmissionType')),
    airConditioning: flag(vehicle, 'AirConditionInd'),
    fuel: fuelOf(attribute(vehicle, 'FuelType')),
  };
}

/** Suppliers write 4, "4", "2-4" and "2/4". */
function doorsOf(text: string | undefined): number | string | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const range = /^(\d)\s*[-/]\s*(\d)$/.exec(text);
  return range ? `${range[1]}-${range[2]}` : undefined;
}

/** A count; for ranges ("4+1", "2-3") the first number. Undefined unless it is above zero. */
function wholeNumber(node: XmlNode | undefined, name: string): number | undefined {
  const value = numberOf(node, name) ?? Number.parseInt(attribute(node, name) ?? '', 10);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}

function transmissionOf(text: string | undefined): Vehicle['transmission'] {
  if (text === undefined) return undefined;
  if (/^auto/i.test(text)) return 'automatic';
  return /^man/i.test(text) ? 'manual' : undefined;
}

/** OTA's FuelType in lower snake case; "Unspecified" means unknown. */
function fuelOf(text: string | undefined): string | undefined {
  if (text === undefined || /^unspecified$/i.test(text)) return undefined;
  return text.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase();
}

function imageUrlOf(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}
