import { z } from 'zod';
import { OUTCOMES } from '../../../auth/test-clocks.js';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{3})?)?Z?$/;
const INVALID = 'Enter a date and time in UTC, such as 2027-05-01T10:00.';

/** A move of a test clock; without a time, only its outcome is set. `back` is the reservation whose page sent it. */
export const clockForm = z.object({
  now: z
    .string({ error: INVALID })
    .optional()
    .transform((text, context): number | undefined => {
      if (text === undefined || text === '') return undefined;
      const at = TIME.test(text) ? Date.parse(text.endsWith('Z') ? text : `${text}Z`) : Number.NaN;
      if (!Number.isNaN(at)) return at;
      context.addIssue({ code: 'custom', message: INVALID });
      return z.NEVER;
    }),
  outcome: z.enum(OUTCOMES, { error: 'Choose an outcome.' }),
  back: z
    .string()
    .regex(/^res_\w{1,60}$/)
    .optional(),
});
