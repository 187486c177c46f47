import { z } from 'zod';

/** The settings of the developer platform: its pages, its emails, and what it records about requests. */
export const platformSettings = {
  portal: z
    .strictObject({
      sessionIdleMinutes: z
        .number()
        .int()
        .min(1)
        .max(10_080)
        .default(720)
        .describe('Idle time after which a session expires.'),
      sessionDays: z.number().int().min(1).max(90).default(30).describe('Maximum lifetime of a session.'),
      confirmMinutes: z
        .number()
        .int()
        .min(1)
        .max(60)
        .default(10)
        .describe('How long after a password check pages don’t ask for the password again.'),
      linkHours: z.number().int().min(1).max(168).default(24).describe('Lifetime of a link in a verification email.'),
      resetMinutes: z.number().int().min(5).max(1_440).default(60).describe('Lifetime of a password reset link.'),
      unverifiedDays: z
        .number()
        .int()
        .min(1)
        .max(365)
        .default(7)
        .describe('How long an account whose address is never verified is kept.'),
      defaultTier: z.string().default('standard').describe('Tier of new accounts and their applications.'),
    })
    .prefault({}),
  mail: z
    .strictObject({
      smtpUrl: z
        .string()
        .optional()
        .describe('smtp:// or smtps:// URL, with user and password. Default: emails stay on the outbox page.'),
      from: z.string().default('Forecourt <no-reply@localhost>').describe('Sender of emails.'),
    })
    .prefault({}),
  incidents: z
    .strictObject({
      failureShare: z
        .number()
        .min(0.01)
        .max(1)
        .default(0.3)
        .describe('Share of failed calls from which on a part of the service fails on the status page.'),
      minutes: z.number().int().min(1).max(30).default(3).describe('Full minutes in a row before that is an incident.'),
      minCalls: z.number().int().min(1).max(10_000).default(10).describe('Fewest calls in each of these minutes.'),
    })
    .prefault({}),
  records: z
    .strictObject({
      days: z.number().int().min(1).max(30).default(7).describe('How long request records are kept.'),
      usageDays: z.number().int().min(7).max(3_650).default(400).describe('How long usage counters are kept.'),
      perApplication: z
        .number()
        .int()
        .min(100)
        .max(1_000_000)
        .default(20_000)
        .describe('How many of the newest requests of an application are kept.'),
      perSecond: z
        .number()
        .int()
        .min(0)
        .max(5_000)
        .default(50)
        .describe('Request records a gateway keeps per second. All requests are counted, regardless of this setting.'),
    })
    .prefault({}),
};
