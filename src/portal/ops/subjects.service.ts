import { Inject, Injectable } from '@nestjs/common';
import { ProductsService } from '../../products/products.service.js';
import { SupplierRegistry } from '../../suppliers/registry.js';
import { operations } from '../../system/api-operations.js';
import type { SwitchedPart } from './switchboard.service.js';

/** Something that can be switched: a kind, and an id or the name of a brand or application. */
export type Subject = Pick<SwitchedPart, 'kind' | 'subject'>;

/** What can be switched, in words. */
@Injectable()
export class Subjects {
  constructor(
    @Inject(SupplierRegistry) private readonly registry: Pick<SupplierRegistry, 'configured'>,
    @Inject(ProductsService) private readonly products: Pick<ProductsService, 'seeds'>,
  ) {}

  /** Names of a kind by id, in the order of a list to choose from; empty for kinds without a list. */
  of(kind: string): ReadonlyMap<string, string> {
    const named = (all: readonly { readonly id: string; readonly name: string }[]) =>
      new Map(all.map(({ id, name }) => [id, name]));
    if (kind === 'brand') {
      const brands = new Set(this.registry.configured.flatMap(({ brands: own }) => own));
      return new Map([...brands].sort().map((brand) => [brand, brand]));
    }
    if (kind === 'operation') return new Map(operations.map(({ id, summary }) => [id, summary]));
    if (kind === 'supplier') return named(this.registry.configured);
    return kind === 'product' ? named(this.products.seeds) : new Map();
  }

  /** "brand Budget", "operation Search vehicles", "service". */
  label({ kind, subject }: Subject): string {
    return kind === subject ? kind : `${kind} ${this.of(kind).get(subject) ?? subject}`;
  }
}
