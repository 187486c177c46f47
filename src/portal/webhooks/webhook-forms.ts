import { z } from 'zod';
import { UNSEEN } from '../../http/fields.js';
import { urlProblem } from '../../webhooks/endpoint-url.js';
import { EVENT_TYPE_NAMES } from '../../webhooks/event-types.js';

/** How long the secret before signs as well, in hours. */
export const OVERLAP_HOURS = { none: 0, hour: 1, day: 24, week: 168 } as const;

export const rotateForm = z.object({
  overlap: z.enum(['none', 'hour', 'day', 'week'], 'Choose how long the existing secret stays valid.'),
});

export const stateForm = z.object({ state: z.enum(['active', 'disabled'], 'Choose active or disabled.') });

export const replayForm = z.object({ event: z.string().regex(/^evt_[0-9a-f]{32}$/, 'Choose an event of the list.') });

/** A new endpoint. `events` is null for all types. */
export const endpointForm = (allowsLoopback: boolean) =>
  z.object({
    url: z.string({ error: 'Enter a URL.' }).transform((text, context) => {
      const problem = urlProblem(text.trim(), allowsLoopback);
      if (problem === undefined) return text.trim();
      context.addIssue({ code: 'custom', message: `The URL ${problem}` });
      return z.NEVER;
    }),
    description: z
      .string()
      .default('')
      .transform((text) => text.trim())
      .pipe(
        z
          .string()
          .max(100, 'Use at most 100 characters.')
          .refine((text) => !UNSEEN.test(text), 'Remove invisible characters.'),
      ),
    events: z
      .array(z.enum(EVENT_TYPE_NAMES, 'Choose types of the list.'))
      .transform((types) => (types.length === 0 ? null : [...new Set(types)])),
  });
