import { z } from 'zod';

/** Settings of the admin API (docs/admin-api.md). */
export const adminSettings = z
  .strictObject({
    host: z.string().default('127.0.0.1').describe('Address of the admin API. Never one that callers can reach.'),
    port: z
      .number()
      .int()
      .min(0)
      .max(65535)
      .optional()
      .describe(
        'Port of the admin API; none by default. If it is taken, the next free port up to +20 is used. Of several workers, the first serves it.',
      ),
    tls: z
      .strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) })
      .optional()
      .describe('Files with the certificate chain and the private key (PEM), read at the start. Default: no TLS.'),
  })
  .prefault({});
