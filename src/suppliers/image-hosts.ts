import type { SupplierOffer } from '../model/offers.js';
import type { SupplierAdapter, SupplierAnswer } from '../model/supplier.js';

/**
 * Makes an adapter leave out pictures of vehicles whose address isn't https or whose host isn't one of `hosts`, so that no
 * page of a caller loads a picture from where the operator doesn't expect it.
 */
export function limitImages(adapter: SupplierAdapter, hosts: readonly string[]): SupplierAdapter {
  const limited = async (answer: Promise<SupplierAnswer<SupplierOffer>>): Promise<SupplierAnswer<SupplierOffer>> => {
    const { items, warnings } = await answer;
    return { items: items.map((offer) => checked(offer, hosts)), warnings };
  };
  const search = adapter.searchVehicles?.bind(adapter);
  const price = adapter.priceCheck?.bind(adapter);
  if (search) adapter.searchVehicles = (request, context) => limited(search(request, context));
  if (price) adapter.priceCheck = (request, context) => limited(price(request, context));
  return adapter;
}

function checked(offer: SupplierOffer, hosts: readonly string[]): SupplierOffer {
  const { imageUrl, ...vehicle } = offer.vehicle;
  return imageUrl === undefined || isAllowed(imageUrl, hosts) ? offer : { ...offer, vehicle };
}

/** Credentials and ports in an address are refused: no picture needs them. */
function isAllowed(address: string, hosts: readonly string[]): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.protocol === 'https:' && url.host === url.hostname && url.username === '' && hosts.includes(url.hostname);
}
