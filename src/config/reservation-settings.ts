import { z } from 'zod';

const ms = (min: number, max: number) => z.number().int().min(min).max(max);

/** The settings of bookings: their times, what is kept of them and for how long. */
export const reservationSettings = z
  .strictObject({
    budgetMs: ms(1_000, 120_000)
      .default(20_000)
      .describe('Time budget of a reservation request: price check, booking, and database.'),
    settleSeconds: z
      .number()
      .int()
      .min(1)
      .max(3_600)
      .default(120)
      .describe('How long after a lost call a supplier may still execute it. Until then, "not found" proves nothing.'),
    reviewAfterSeconds: z
      .number()
      .int()
      .min(1)
      .max(86_400)
      .default(1_800)
      .describe('An unknown outcome that is not resolved within this time goes to manual_review.'),
    lateCheckSeconds: z
      .array(z.number().int().min(1).max(604_800))
      .max(10)
      .default([300, 3_600, 86_400])
      .describe(
        'When a failed booking is looked up again, in seconds after it failed, ascending: suppliers may book late. Empty = never.',
      ),
    lateBookings: z
      .enum(['review', 'confirm', 'cancel'])
      .default('review')
      .describe(
        'What becomes of a failed booking that the supplier shows later: manual_review, confirmed, or cancelled at the supplier.',
      ),
    secondCheckSeconds: z
      .number()
      .int()
      .min(0)
      .max(86_400)
      .default(120)
      .describe(
        'When the reference of a confirmed, changed, cancelled or rejected booking is looked up once more, to find a second booking. 0 = never.',
      ),
    secondBookings: z
      .enum(['review', 'cancel'])
      .default('review')
      .describe(
        'What becomes of further bookings of one reservation at the supplier: an operator decides, or they are cancelled there.',
      ),
    unresolvedPerAccount: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(200)
      .describe(
        'How many reservations of an account at one supplier may be unresolved (pending, unknown, cancel_unknown). Beyond, its bookings there get 429.',
      ),
    onRequestPerAccount: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .default(2_000)
      .describe(
        'How many reservations of an account at one supplier may wait for its decision (on_request). Beyond, its bookings there get 429.',
      ),
    checkEveryMs: ms(50, 60_000)
      .default(1_000)
      .describe('How often the reconciler checks for reservations that are due.'),
    firstCheckMs: ms(50, 60_000)
      .default(2_000)
      .describe(
        'First backoff of the reconciler. It doubles up to 5 minutes, and for requests that a supplier does not decide up to 1 hour.',
      ),
    idempotencyHours: z
      .number()
      .int()
      .min(24)
      .max(720)
      .default(48)
      .describe('How long an Idempotency-Key is remembered (ruling 16).'),
    personalDataDays: z
      .number()
      .int()
      .min(1)
      .max(3_650)
      .default(90)
      .describe(
        "How long renters' data is kept after the end of the rental, or after the reservation was cancelled, rejected or failed.",
      ),
    sandboxDays: z
      .number()
      .int()
      .min(31)
      .max(3_650)
      .default(90)
      .describe(
        'How long a reservation of the sandbox is kept after its last change, whenever its rental is. Those of production are kept.',
      ),
    journal: z
      .strictObject({
        folder: z
          .string()
          .optional()
          .describe(
            'Folder of the journal of bookings (docs/backup.md), or "off". Default: "journal" in the data folder.',
          ),
        name: z
          .string()
          .regex(/^[\w.-]{1,100}$/, 'must have 1 to 100 letters, digits, ".", "_" or "-"')
          .optional()
          .describe(
            'Name of this gateway in the names of its files, unique and without path: required if gateways share the folder on a network file system. Default: none.',
          ),
        days: z
          .number()
          .int()
          .min(30)
          .max(3_650)
          .default(400)
          .describe('How long files of the journal are kept: longer than from a booking to the end of its rental.'),
      })
      .prefault({}),
  })
  .prefault({});
