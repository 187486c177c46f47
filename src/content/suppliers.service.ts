import { Injectable } from '@nestjs/common';
import type { Language } from '../config/languages.js';
import { ApiError } from '../status/api-error.js';
import { type Supplier, SupplierRegistry } from '../suppliers/registry.js';
import { type SupplierView, supplierView } from './supplier-view.js';

/** The suppliers that callers may see. No supplier is called. */
@Injectable()
export class SuppliersService {
  constructor(private readonly registry: SupplierRegistry) {}

  /** All of them, in the order of answers. Those that are off or in shadow are missing. */
  all(language: Language): readonly SupplierView[] {
    return this.registry.shown.map((supplier) => this.#view(supplier, language));
  }

  /** One of them. Throws the same ApiError 404 for an unknown supplier and for one that callers may not see. */
  one(id: string, language: Language): SupplierView {
    const supplier = this.registry.shown.find((shown) => shown.id === id);
    if (supplier) return this.#view(supplier, language);
    throw ApiError.of('resource_failure', 'There is no such supplier. GET /cars/suppliers/v1/ lists all of them.');
  }

  #view({ id, config, connection }: Supplier, language: Language): SupplierView {
    const brands = this.registry.brandsToCall(config, undefined);
    const state = this.registry.stateOf(id);
    return supplierView({ config, adapter: connection.adapter, state, brands }, language);
  }
}
