import type { LocationView } from '../representations/location-view.js';
import type { WireView } from '../representations/wire-view.js';
import type { samePlaceWire } from './locations.wire.js';

/** Another location at the place of a result. */
export type SamePlaceView = WireView<typeof samePlaceWire>;

/** The short form of a location beside another one at the same place. */
export function samePlaceView({ location_id, supplier, brand, name, counter }: LocationView): SamePlaceView {
  return { location_id, supplier, brand, name, counter };
}
