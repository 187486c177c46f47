import { z } from 'zod';

/** A text in a query; anything invalid is ignored, so the page is always shown. PostgreSQL rejects NUL. */
export const filterText = z
  .string()
  .trim()
  .max(200)
  .regex(/^\P{Cc}*$/u)
  .transform((text) => text || undefined)
  .optional()
  .catch(undefined);
