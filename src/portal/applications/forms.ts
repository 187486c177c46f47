import { z } from 'zod';
import { checkRedirectUrl } from '../../auth/redirect-url.js';
import { checkOrigins } from '../../auth/web-origin.js';
import { UNSEEN } from '../../http/fields.js';
import { parseScenario } from '../../sandbox/scenario.js';
import { ApiError } from '../../status/api-error.js';

const line = (what: string, longest: number) =>
  z
    .string({ error: `Enter ${what}.` })
    .transform((text) => text.trim().replace(/\s+/g, ' '))
    .pipe(
      z
        .string()
        .min(1, `Enter ${what}.`)
        .max(longest, `Use at most ${longest} characters.`)
        .refine((text) => !UNSEEN.test(text), 'Remove invisible characters.'),
    );

const paragraph = (longest: number) =>
  z
    .string({ error: 'This field is missing. Reload the page and send it again.' })
    .transform((text) => text.replace(/\r\n?/g, '\n').trim())
    .pipe(
      z
        .string()
        .max(longest, `Use at most ${longest} characters.`)
        .refine((text) => !UNSEEN.test(text.replace(/[\n\t]/g, '')), 'Remove invisible characters.'),
    );

export const LONGEST_NAME = 60;
export const LONGEST_TEXT = 1_000;
const LONGEST_ORIGINS = 3_000;

/** Name and description of an application (spec §1.3). */
export const descriptionForm = z.object({
  name: line('a name for the application', LONGEST_NAME),
  description: paragraph(LONGEST_TEXT),
});

/** Null: the field is empty. */
export const redirectUrlForm = z.object({
  redirect_url: z.string({ error: 'Enter a URL.' }).transform((text, context): string | null => {
    if (text === '') return null;
    const check = checkRedirectUrl(text);
    if (check.ok) return check.url;
    context.addIssue({ code: 'custom', message: check.why });
    return z.NEVER;
  }),
});

/** Web origins, one per line. Empty lines and blanks around an origin don't count. */
export const originsForm = z.object({
  origins: z
    .string({ error: 'Enter origins, one per line.' })
    .max(LONGEST_ORIGINS, `Use at most ${LONGEST_ORIGINS} characters.`)
    .transform((text, context): readonly string[] => {
      const check = checkOrigins(text.split(/\s+/).filter((origin) => origin !== ''));
      if (check.ok) return check.origins;
      context.addIssue({ code: 'custom', message: check.why });
      return z.NEVER;
    }),
});

/** A scenario for these suppliers, with the API's own messages for an invalid one. Null: the field is empty. */
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

/** How long existing secrets stay valid after a new one is created, in milliseconds. */
export const OVERLAPS = { now: 0, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

export const newSecretForm = z.object({
  overlap: z.enum(['now', 'hour', 'day', 'week'], 'Choose when the existing secrets expire.'),
});

/** The controller compares the name. */
export const deleteForm = z.object({ name: z.string({ error: 'Enter the application name.' }) });

export const accessRequestForm = z.object({
  message: paragraph(LONGEST_TEXT).pipe(
    z.string().min(1, 'Describe your application. The operator needs this to decide.'),
  ),
});

/** An operator's decision. */
export const decisionForm = z.object({
  decision: z.enum(['approve', 'refuse'], 'Choose Approve or Reject.'),
  reason: paragraph(LONGEST_TEXT),
  /** The digest of the application as the page showed it. */
  copied: z.string().default(''),
  /** `yes` once its effect was shown. */
  confirmed: z.string().default(''),
});
