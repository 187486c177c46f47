import type { LimitRate } from '../store/gcra.js';

/** `config/tiers.yaml`: tier → its limit. */
export type Tiers = Readonly<Record<string, LimitRate>>;

/** Ids of the products that routes belong to (config/products.yaml). */
export type ProductId = 'car_location_keyword_search' | 'car_availability' | 'car_reservation';
