import { chosenView } from '../offers/chosen-view.js';
import { keptView } from '../offers/kept-view.js';
import type { CheckedPrice } from '../offers/price-check.service.js';
import type { LocationFactsCache } from '../representations/location-view.js';
import { rentalView } from '../representations/rental-view.js';
import type { BookedView } from './reservation.js';

/**
 * What a reservation shows of an accepted offer. Its times are those that the supplier is asked to book, not those of its
 * price check, which may be rounded, and its longest texts are cut.
 */
export function acceptedView({ supplier, request, offer }: CheckedPrice, facts: LocationFactsCache): BookedView {
  const { pickupDate, dropoffDate } = request;
  const asked = { ...offer, pickupDate, dropoffDate };
  return { ...keptView(rentalView(supplier.id, asked, facts)), ...chosenView(offer, request), lists_local: true };
}
