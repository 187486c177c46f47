import { z } from 'zod';

/** The settings of simulated suppliers. */
export const simulatorSettings = z
  .strictObject({
    embedded: z.boolean().default(true).describe('Starts the simulators of the configured suppliers in this process.'),
    latencyScale: z.number().min(0).max(100).default(1).describe('Factor applied to the simulated latency. 0 = none.'),
    carsPerLocation: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        'Models that a brand rents at one location, and one more on request if it has any. A search costs less processor time with few. Default: all that its market has, at least 33.',
      ),
  })
  .default({ embedded: true, latencyScale: 1 });
