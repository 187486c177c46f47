/** A product's purpose and documentation page. */
export interface ProductText {
  readonly purpose: string;
  readonly docs: string;
}

const TEXTS: Readonly<Record<string, ProductText>> = {
  car_location_keyword_search: {
    purpose: 'Searches the rental locations of all suppliers by keyword and returns the best three.',
    docs: '/docs/searching',
  },
  car_places: {
    purpose: 'Suggests cities, airports, regions and postal codes while a traveler types.',
    docs: '/docs/searching',
  },
  car_availability: {
    purpose: 'Returns the cars of all suppliers at a place and time, with prices and conditions.',
    docs: '/docs/searching',
  },
  car_reservation: {
    purpose: 'Creates, reads, changes or cancels one reservation with the supplier that made the offer.',
    docs: '/docs/reservations',
  },
  car_suppliers: {
    purpose: 'Describes every supplier: brands, countries, capabilities, payments, support number and terms.',
    docs: '/docs/content',
  },
  car_vehicles: {
    purpose: 'Explains SIPP codes and other values in six languages, with neutral pictures.',
    docs: '/docs/content',
  },
  car_webhooks: {
    purpose: 'Sends what happens to your reservations to your own addresses, signed and in order.',
    docs: '/docs/webhooks',
  },
};

/** A configured product without a text here links to the start of the docs. */
export function productText(id: string): ProductText {
  return TEXTS[id] ?? { purpose: '', docs: '/docs' };
}
