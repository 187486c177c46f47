import { z } from 'zod';

/** Secrets of this dialect. */
export const holdCredentials = z.object({ apiKey: z.string().min(1) });

/** This dialect has no switches: one that is set is a mistake. */
export const holdOptions = z.strictObject({});

/** The one brand of a supplier: nothing in this dialect names a brand. */
export const holdBrands = z.tuple([z.string()], 'a supplier of this dialect has one brand');
