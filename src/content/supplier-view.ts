import type { Language } from '../config/languages.js';
import type { SupplierConfig, SupplierState } from '../config/supplier-config.schema.js';
import type { CardBrand } from '../model/card-brands.js';
import type { SupplierAdapter } from '../model/supplier.js';
import { markName, markOf } from '../representations/supplier-mark.js';
import type { WireView } from '../representations/wire-view.js';
import { wordsIn } from '../representations/words/words-in.js';
import type { supplierWire } from './suppliers.wire.js';

/** A supplier in a response. */
export type SupplierView = WireView<typeof supplierWire>;

/** A supplier as it is now. */
export interface SupplierFacts {
  readonly config: SupplierConfig;
  readonly adapter: SupplierAdapter;
  readonly state: SupplierState;
  /** Those that are not switched off. */
  readonly brands: readonly string[];
}

/** Converts a supplier that callers may see. What it can do is what its adapter implements, and nothing else. */
export function supplierView({ config, adapter, state, brands }: SupplierFacts, language: Language): SupplierView {
  const { id, name, countries, content } = config;
  const words = wordsIn(language);
  const { booking } = adapter;
  const payments = [
    ...(adapter.book ? (['counter'] as const) : []),
    ...(booking?.takesCards ? (['card'] as const) : []),
    ...(booking?.takesVouchers ? (['voucher'] as const) : []),
  ];
  const cards: readonly CardBrand[] = content.acceptedCards;
  return {
    supplier: id,
    name,
    brands: [...brands],
    countries,
    state: state === 'live' ? 'available' : state === 'maintenance' ? 'maintenance' : 'closed',
    capabilities: {
      locations: adapter.searchLocations !== undefined,
      location_details: adapter.locationDetails !== undefined,
      availability: adapter.searchVehicles !== undefined,
      price_check: adapter.priceCheck !== undefined,
      book: adapter.book !== undefined,
      retrieve: adapter.retrieve !== undefined,
      retrieve_by_reference: booking?.findsByReference ?? false,
      cancel: adapter.cancel !== undefined,
      modify: adapter.modify !== undefined && (booking?.changes.length ?? 0) > 0,
      changes: adapter.modify === undefined ? [] : [...(booking?.changes ?? [])],
      extras: booking?.takesExtras ?? false,
      coverages: booking?.takesCoverages ?? false,
    },
    payments: payments.map((value) => ({ value, name: words.payment[value] })),
    cards: cards.map((value) => ({ value, name: words.card[value] })),
    logo_url: `/images/suppliers/${markName(markOf({ id, name }))}.svg`,
    support_phone: content.supportPhone,
    terms: content.terms.map(({ kind, language: spoken, url, text }) => ({ kind, language: spoken, url, text })),
  };
}
