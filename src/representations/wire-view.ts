import type { z } from 'zod';

/**
 * The return type of a view, derived from its zod schema, so that tsc fails if a view omits a member or adds one. A
 * view always sets optional members, possibly to undefined, which JSON omits.
 */
export type WireView<S extends z.ZodType> = Complete<z.infer<S>>;

type Complete<T> = T extends readonly (infer Item)[]
  ? readonly Complete<Item>[]
  : T extends object
    ? { readonly [Name in keyof Required<T>]: Complete<T[Name]> }
    : T;
