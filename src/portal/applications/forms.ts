import { z } from 'zod';
import { checkRedirectUrl } from '../../auth/redirect-url.js';
import { UNSEEN } from '../../http/fields.js';
import { parseScenario } from '../../sandbox/scenario.js';
import { ApiError } from '../../status/api-error.js';

const line = (what: string, longest: number) =>
  z
    .string({ error: `Give ${what}.` })
    .transform((text) => text.trim().replace(/\s+/g, ' '))
    .pipe(
      z
        .string()
        .min(1, `Give ${what}.`)
        .max(longest, `At most ${longest} characters.`)
        .refine((text) => !UNSEEN.test(text), 'Leave out characters that cannot be seen.'),
    );

const paragraph = (longest: number) =>
  z
    .string({ error: 'This field is missing. Reload the page and send it again.' })
    .transform((text) => text.replace(/\r\n?/g, '\n').trim())
    .pipe(
      z
        .string()
        .max(longest, `At most ${longest} characters.`)
        .refine((text) => !UNSEEN.test(text.replace(/[\n\t]/g, '')), 'Leave out characters that cannot be seen.'),
    );

export const LONGEST_NAME = 60;
export const LONGEST_TEXT = 1_000;

/** Name and description of an application (spec §1.3). */
export const descriptionForm = z.object({
  name: line('the application a name', LONGEST_NAME),
  description: paragraph(LONGEST_TEXT),
});

/** Null = the field was emptied. */
export const redirectUrlForm = z.object({
  redirect_url: z.string({ error: 'Enter a URL.' }).transform((text, context): string | null => {
    if (text === '') return null;
    const check = checkRedirectUrl(text);
    if (check.ok) return check.url;
    context.addIssue({ code: 'custom', message: check.why });
    return z.NEVER;
  }),
});

/** A scenario that names these suppliers, refused in the words in which the API refuses the header. Null = the field was emptied. */
export const scenarioForm = (suppliers: readonly string[]) =>
  z.object({
    scenario: z.string({ error: 'Enter a scenario.' }).transform((text, context): string | null => {
      if (text.trim() === '') return null;
      try {
        return parseScenario(text, 'application', suppliers).text;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        context.addIssue({ code: 'custom', message: error.problems.map(({ details }) => details).join(' ') });
        return z.NEVER;
      }
    }),
  });

/** How long the older secrets live on beside a new one → milliseconds. */
export const OVERLAPS = { now: 0, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

export const newSecretForm = z.object({
  overlap: z.enum(['now', 'hour', 'day', 'week'], 'Choose when the older secrets end.'),
});

/** The name is compared by whoever deletes. */
export const deleteForm = z.object({ name: z.string({ error: 'Type the name.' }) });

export const accessRequestForm = z.object({
  message: paragraph(LONGEST_TEXT).pipe(z.string().min(1, 'Say what goes live: ops decide by it.')),
});

/** The decision of ops. */
export const decisionForm = z.object({
  decision: z.enum(['approve', 'refuse'], 'Choose to approve or to refuse.'),
  reason: paragraph(LONGEST_TEXT),
});
