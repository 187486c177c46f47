// The ids that the console takes from responses and fills into its forms.

const forms = [...document.querySelectorAll('form[data-operation]')];
/** Offers of the last search. A reservation can only be replaced by an offer of the same brand. */
let offers = [];
let reservedBrand;

export const hasOffers = () => offers.length > 0;
export const fieldsNamed = (name) => forms.flatMap((form) => [...form.elements].filter((input) => input.name === name));
export const fill = (name, value) => {
  for (const input of fieldsNamed(name)) input.value = value;
};

/** Uses the newest offer or quote instead of the previous one. It starts a new booking, which needs a new key. */
function chooseId(name, id) {
  fill('offer_id', '');
  fill('quote_id', '');
  fill(name, id);
  renewKey();
}

export function renewKey() {
  fill('Idempotency-Key', crypto.randomUUID());
}

/** Fills in an offer, and says which car it is above the forms that take it. */
export function chooseOffer(offer) {
  chooseId('offer_id', offer.offer_id);
  const [car, brand, total] = offerTexts(offer);
  for (const place of document.querySelectorAll('[data-offer]')) {
    place.hidden = false;
    place.textContent = `${car} from ${brand}: ${total}`;
  }
}

export function learn({ body }) {
  if (body?.vehicles?.[0]) {
    offers = body.vehicles;
    chooseOffer(offers[0]);
  }
  if (body?.quote) chooseId('quote_id', body.quote.quote_id);
  if (body?.page?.kept_until) fill('search_id', body.search_id);
  if (body?.reservation) {
    fill('reservation_id', body.reservation.reservation_id);
    reservedBrand = body.reservation.brand;
  }
  if (body?.locations?.[0]) fill('location_id', body.locations[0].location_id);
  if (body?.endpoint) fill('endpoint_id', body.endpoint.endpoint_id);
}

/** Fills in an offer of the brand that is reserved, if the last search has one. */
export function chooseReplacement() {
  const sameBrand = offers.find(({ brand }) => brand === reservedBrand);
  if (sameBrand) chooseOffer(sameBrand);
}

/** The car, brand and total of an offer, as texts. The total is what the supplier charges. */
export function offerTexts({ vehicle, brand, price }) {
  const car = [vehicle?.name, vehicle?.sipp_code].filter(Boolean).join(', ');
  return [car, brand ?? '', price?.total ? `${price.total.amount} ${price.total.currency}` : ''];
}
