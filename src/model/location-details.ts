import type { OpeningHours, PlaceRef, SupplierLocation } from './locations.js';
import type { Money } from './money.js';
import type { Term, Vehicle } from './offers.js';

/** One location of a brand. */
export interface LocationDetailsRequest {
  /** In the spelling of the configuration. */
  readonly brand: string;
  readonly location: PlaceRef;
}

/** A price per unit: day, week, rental, gallon, … in snake case. */
export interface UnitPrice {
  readonly amount: Money;
  readonly per: string;
}

/** A tax, fee or surcharge that the location adds to rentals. */
export interface LocationFee {
  readonly kind: 'tax' | 'fee' | 'surcharge';
  readonly name: string;
  /** Empty if it is a percentage. */
  readonly prices: readonly UnitPrice[];
  /** A share of the rental price, as decimal text. */
  readonly percent?: string;
  /** The most that one rental is charged. */
  readonly most?: Money;
  readonly text?: string;
}

/** An extra or coverage that the location offers. */
export interface LocationOption {
  readonly code: string;
  /** As in offers. */
  readonly type: string;
  readonly name: string;
  /** Empty if the supplier states none. */
  readonly prices: readonly UnitPrice[];
  readonly most?: Money;
  readonly text?: string;
}

/** A location with the ages of drivers to which it rents. */
export interface LocationProfile extends SupplierLocation {
  readonly minAge?: number;
  readonly maxAge?: number;
}

/** The details of one location, beyond those of a search result. Lists are empty if the supplier states nothing. */
export interface LocationDetails {
  /** With hours and after-hours return. */
  readonly location: SupplierLocation;
  readonly minAge?: number;
  readonly maxAge?: number;
  /** How renters reach the counter; absent if the supplier says nothing about a shuttle. */
  readonly shuttle?: { readonly openingHours: readonly OpeningHours[]; readonly texts: readonly Term[] };
  readonly fees: readonly LocationFee[];
  readonly coverages: readonly LocationOption[];
  readonly extras: readonly LocationOption[];
  /** Cars that the location usually has, not their availability. */
  readonly vehicles: readonly Vehicle[];
  /** Information and services by kind: hours, after_hours_return, directions, express_return_service, … */
  readonly terms: readonly Term[];
}
