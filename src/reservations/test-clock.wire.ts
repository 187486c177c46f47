import { z } from 'zod';
import { OUTCOMES } from '../auth/test-clocks.js';
import { statusWire } from '../status/status.wire.js';

const outcome = z
  .enum(OUTCOMES, { error: `must be one of ${OUTCOMES.join(', ')}.` })
  .describe(
    'What becomes of confirmed reservations. completed: they are completed at their dropoff; no_show: they are a no-show at their pickup.',
  );

/** For operations without query parameters. */
export const noQuery = z.strictObject({});
export type NoQuery = z.output<typeof noQuery>;

/** Body of PUT /sandbox/clock/v1. */
export const clockBody = z
  .strictObject({
    now: z.iso
      .datetime({
        offset: true,
        error: 'must be a date and time with a time zone, such as 2027-05-01T10:00:00Z.',
      })
      .optional()
      .describe('The time to move to: not before the time of the clock, and at most two years ahead of real time.'),
    outcome: outcome.default('completed'),
  })
  .describe('The time continues from there.');
export type ClockBody = z.output<typeof clockBody>;

const clockWire = z
  .strictObject({
    now: z.iso.datetime().describe("The application's time."),
    real_now: z.iso.datetime(),
    ahead_seconds: z.int().min(0).describe('0: real time.'),
    outcome,
  })
  .meta({ id: 'TestClock' });

/** The answer of every operation on the clock that has one. */
export const clockAnswer = z.strictObject({ status: statusWire, clock: clockWire }).meta({ id: 'TestClockAnswer' });
export type ClockView = z.infer<typeof clockWire>;
