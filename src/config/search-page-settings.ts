import { z } from 'zod';

const bytes = (max: number) => z.number().int().min(10_000).max(max);

/** How much is kept of searches with `page_size` (docs/searching.md#pages), compressed. */
export const searchPageSettings = z
  .strictObject({
    accountBytes: bytes(1_000_000_000)
      .default(8_000_000)
      .describe(
        'For the applications of one account. Beyond it, those of their searches that expire first are dropped.',
      ),
    totalBytes: bytes(100_000_000_000)
      .default(128_000_000)
      .describe(
        'For all applications, in Redis or in the memory of each process. Beyond it, searches of the account that keeps the most are dropped, those that expire first.',
      ),
  })
  .prefault({});
