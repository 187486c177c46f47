import type { SupplierLocation } from '../../model/locations.js';
import type { Term } from '../../model/offers.js';
import { rowOf } from './table.js';
import { COUNTER_PLACES } from './vehicle-codes.js';
import { attribute, child, textOf, type XmlNode } from './wire.js';

/** The places of all cars of a vendor, and which of them LocationDetails describe. */
export interface VendorPlaces {
  readonly pickup: SupplierLocation;
  readonly dropoff: SupplierLocation;
  readonly detailed: { readonly pickup: boolean; readonly dropoff: boolean };
}

/**
 * The places of one car: without LocationDetails, with the name and counter of its own VendorLocation and DropOffLocation. Their codes
 * stay those that the supplier was asked for, and so do those of the requests that follow.
 */
export function placesOfCar(core: XmlNode, places: VendorPlaces): Pick<VendorPlaces, 'pickup' | 'dropoff'> {
  const { detailed } = places;
  const [vendor, dropOff] = [child(core, 'VendorLocation'), child(core, 'DropOffLocation')];
  const pickup = detailed.pickup ? places.pickup : stationAt(vendor, places.pickup);
  if (places.dropoff === places.pickup && !dropOff) return { pickup, dropoff: pickup };
  return { pickup, dropoff: detailed.dropoff ? places.dropoff : stationAt(dropOff, places.dropoff) };
}

function stationAt(node: XmlNode | undefined, location: SupplierLocation): SupplierLocation {
  const name = attribute(node, 'Name');
  const place = rowOf(COUNTER_PLACES, attribute(node, 'CounterLocation'));
  if (name === undefined && !place) return location;
  return { ...location, name: name ?? location.name, ...(place && { type: place.type, counter: place.counter }) };
}

/**
 * The company that hands over the car, if the supplier sells cars of several, as a term. Quotes and vouchers have it only if the
 * price check states it.
 */
export function companyOfCar(core: XmlNode, brand: string): readonly Term[] {
  const vendor = child(core, 'Vendor');
  const name = textOf(vendor) ?? attribute(vendor, 'CompanyShortName');
  if (name === undefined || name.toLowerCase() === brand.toLowerCase()) return [];
  return [{ kind: 'vendor', text: `Rental company: ${name}` }];
}
