import type { PlaceRef } from '../../model/locations.js';
import { codeContextOf, oagAirportOf, type PlaceRole, type StatedPlace, statedPlace } from './location-codes.js';
import { attribute, type XmlNode } from './wire.js';

/** What is known of the two ends of a rental. */
type Ends<T> = Readonly<Record<PlaceRole, T>>;

/**
 * The LocationDetails of each end of a rental: by what their context says, otherwise by their codes, which are those of VehRentalCore or of the
 * request. Those without such a code are taken in their order, the pickup first.
 */
export function placeDetails(
  details: readonly XmlNode[],
  stated: Ends<StatedPlace | undefined>,
  requested: Ends<PlaceRef>,
): Ends<XmlNode | undefined> {
  const known = {
    pickup: codesOf(stated.pickup, requested.pickup),
    dropoff: codesOf(stated.dropoff, requested.dropoff),
  };
  const isOnePlace = [...known.pickup].some((code) => known.dropoff.has(code));
  // What is said of the return is said of its only place.
  if (details.length === 1 && isOnePlace) return { pickup: details[0], dropoff: undefined };
  const roles = details.map((detail) => roleOf(detail, known));
  const of = (role: PlaceRole) => details[roles.indexOf(role)];
  const others = details.filter((_detail, index) => roles[index] === undefined);
  const pickup = of('pickup') ?? others.shift();
  return { pickup, dropoff: of('dropoff') ?? others.shift() };
}

/** Which end it describes; undefined if it says nothing, or what it says is true of both. */
function roleOf(detail: XmlNode, known: Ends<ReadonlySet<string>>): PlaceRole | undefined {
  const context = attribute(detail, 'CodeContext') ?? '';
  if (/return|drop/i.test(context)) return 'dropoff';
  if (/pick/i.test(context)) return 'pickup';
  const place = statedPlace(detail, 'Code');
  if (!place) return undefined;
  const { code, plainCode } = place;
  const airport = plainCode ?? oagAirportOf(code, codeContextOf(place.context, code)) ?? code;
  for (const own of [code, airport]) {
    const isPickup = known.pickup.has(own);
    if (isPickup !== known.dropoff.has(own)) return isPickup ? 'pickup' : 'dropoff';
  }
  return undefined;
}

function codesOf(stated: StatedPlace | undefined, { supplierCode, iataCode }: PlaceRef): ReadonlySet<string> {
  return new Set([stated?.code, stated?.plainCode, supplierCode, iataCode].filter((code) => code !== undefined));
}
