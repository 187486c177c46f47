import { createHash } from 'node:crypto';
import { isSameCode } from '../model/bookings.js';
import type { LocationType, PlaceRef, SupplierLocation } from '../model/locations.js';
import type { SupplierOffer } from '../model/offers.js';
import { foldName } from '../places/fold.js';
import { distanceKm } from '../places/places.js';

/** Where a rental was shown to begin and end: the marks of each place, as `marksOf`. */
export interface ShownPlaces {
  readonly pickup: string;
  readonly dropoff: string;
}

/** What the marks of a place are written after. */
const WORDS = { pickup: 'p', dropoff: 'o' } as const;

/** Characters of one mark: enough to tell apart two places of one supplier, in ids that should be short. */
const MARK = 2;

/** Between two positions of one airport. */
const SAME_AIRPORT_KM = 10;

/** What isn't a counter of an airport, even if it is near: many cities have a branch within those kilometers. */
const ELSEWHERE: ReadonlySet<string> = new Set<LocationType>(['downtown', 'rail', 'port', 'hotel', 'dealer']);

type Position = Pick<PlaceRef, 'latitude' | 'longitude'>;

/** Offers share their locations, so each is read once. */
const known = new WeakMap<SupplierLocation, string>();

/** The places of an offer as words of its id; one word if the rental ends where it begins. */
export function placeWords({ pickup, dropoff }: Pick<SupplierOffer, 'pickup' | 'dropoff'>): readonly string[] {
  const [from, to] = [marksOf(pickup), marksOf(dropoff)];
  return [WORDS.pickup + from, ...(to === from ? [] : [WORDS.dropoff + to])];
}

/** Reads what placeWords wrote; undefined if there is none, as in ids of earlier gateways. */
export function placesOfWords(words: readonly string[]): ShownPlaces | undefined {
  const marksAfter = (prefix: string) => words.find((word) => word.startsWith(prefix))?.slice(1);
  const pickup = marksAfter(WORDS.pickup);
  return pickup === undefined ? undefined : { pickup, dropoff: marksAfter(WORDS.dropoff) ?? pickup };
}

/**
 * Where the rental now begins or ends otherwise than shown, in words for the caller. Suppliers state one place in several ways: it is
 * another one only if its code, airport, name and position are others, and its code isn't the one that the supplier was asked for.
 */
export function otherPlaces(
  shown: ShownPlaces,
  offer: Pick<SupplierOffer, 'pickup' | 'dropoff'>,
  requested: Readonly<Record<'pickup' | 'dropoff', PlaceRef>>,
): readonly string[] {
  return (['pickup', 'dropoff'] as const)
    .filter((end) => isOther(shown[end], offer[end], requested[end]))
    .map((end) => `the ${end} location is ${offer[end].code} (${offer[end].name})`);
}

function isOther(shown: string, place: SupplierLocation, requested: PlaceRef): boolean {
  const { supplierCode, iataCode } = requested;
  if ([supplierCode, iataCode].some((asked) => isSameCode(asked, place.code))) return false;
  if (isOnlyAirport(shown, requested)) return isBeyond(requested, place);
  const marks = new Set(listed(shown));
  return !listed(marksOf(place)).some((mark) => marks.has(mark));
}

/**
 * Whether no more was shown than the airport that was asked for: suppliers whose search states no location, or not where it is, have that
 * in its stead. The counter that a price check names is then the same place.
 * A location of the supplier that the caller chose was shown with its code.
 */
function isOnlyAirport(shown: string, { iataCode, name = iataCode, ...position }: PlaceRef): boolean {
  if (iataCode === undefined || name === undefined) return false;
  const asked = [name, iataCode].flatMap((one) => identifying({ ...position, code: iataCode, name: one })).map(markOf);
  return listed(shown).every((mark) => asked.includes(mark));
}

/** Whether a place is known not to be a counter of the airport: its supplier says so, or it is farther away than these are. */
function isBeyond(airport: Position, place: Position & Pick<SupplierLocation, 'type'>): boolean {
  if (ELSEWHERE.has(place.type)) return true;
  return isPlaced(airport) && isPlaced(place) && distanceKm(airport, place) > SAME_AIRPORT_KM;
}

/** A short mark for each of what identifies a place. A code is the same as an airport's, because suppliers use these as their own. */
function marksOf(location: SupplierLocation): string {
  const before = known.get(location);
  if (before !== undefined) return before;
  const marks = [...new Set(identifying(location).map(markOf))].join('');
  known.set(location, marks);
  return marks;
}

function identifying(place: Pick<SupplierLocation, 'code' | 'iataCode' | 'name'> & Position): readonly string[] {
  const { code, iataCode, name } = place;
  return [
    ...[code, iataCode].flatMap((one) => (one ? [`code ${one.toUpperCase()}`] : [])),
    `name ${foldName(name)}`,
    ...(isPlaced(place) ? [`at ${place.latitude.toFixed(2)} ${place.longitude.toFixed(2)}`] : []),
  ];
}

function isPlaced(place: Position): place is Required<Position> {
  return place.latitude !== undefined && place.longitude !== undefined;
}

function markOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, MARK);
}

function listed(marks: string): readonly string[] {
  return marks.match(/../g) ?? [];
}
