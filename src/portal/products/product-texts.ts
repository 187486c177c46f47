/** What people read of a product beside its facts: what it is for, and the page of the docs that tells how to call it. */
export interface ProductText {
  readonly purpose: string;
  readonly docs: string;
}

const TEXTS: Readonly<Record<string, ProductText>> = {
  car_location_keyword_search: {
    purpose: 'Searches rental locations by keyword over all suppliers and returns the best three.',
    docs: '/docs/searching',
  },
  car_availability: {
    purpose: 'Returns the cars that all suppliers have at a place and time, with prices and conditions.',
    docs: '/docs/searching',
  },
  car_reservation: {
    purpose: 'Creates, reads, changes or cancels one reservation with the supplier that made the offer.',
    docs: '/docs/reservations',
  },
};

/** A product of the configuration that nobody has described yet leads to the start of the docs. */
export function productText(id: string): ProductText {
  return TEXTS[id] ?? { purpose: '', docs: '/docs' };
}
