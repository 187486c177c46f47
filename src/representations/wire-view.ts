import type { z } from 'zod';

/**
 * What a view of a wire shape returns. The zod schema is the only source of the shape: tsc fails when a view leaves out a member or adds one.
 * An optional member is always there, as undefined when there is no value; JSON leaves it out.
 */
export type WireView<S extends z.ZodType> = Complete<z.infer<S>>;

type Complete<T> = T extends readonly (infer Item)[]
  ? readonly Complete<Item>[]
  : T extends object
    ? { readonly [Name in keyof Required<T>]: Complete<T[Name]> }
    : T;
