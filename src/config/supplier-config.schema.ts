import { z } from 'zod';
import { supplierSlo } from './slo-settings.js';
import { supplierContent } from './supplier-content.schema.js';

/**
 * `off`: only existing reservations are served. `shadow`: copies of searches are sent after the answer, for comparison. `live`. `drain`: no
 * searches and no new bookings. `maintenance`: skipped, and reported as skipped. Existing reservations are served in
 * every state.
 */
export const SUPPLIER_STATES = ['off', 'shadow', 'live', 'drain', 'maintenance'] as const;

/** What a supplier's file can say. */
export type FileState = (typeof SUPPLIER_STATES)[number];

/** `canary`: live for a share of the searches, in shadow for the others. Only operators set it, at run time. */
export type SupplierState = FileState | 'canary';

const settle = z.number().int().min(1).max(86_400);
const timeout = z.number().int().min(20).max(60_000);

const share = z.number().min(0).max(1);

/** docs/resilience.md explains each setting. */
const resilience = z.strictObject({
  breaker: z
    .strictObject({
      windowMs: z
        .number()
        .int()
        .min(1_000)
        .max(600_000)
        .default(10_000)
        .describe('Length of the window of calls it evaluates, at most the last 1,000 calls of an application.'),
      minCalls: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(20)
        .describe(
          'Minimum calls of an application in the window before it can open. More than 1,000 = never opens on its own calls.',
        ),
      failureRate: share.min(0.05).default(0.5).describe('Share of failed questions that opens it.'),
      slowRate: share.min(0.05).default(0.8).describe('Share of slow or failed questions that opens it.'),
      slowShare: share
        .min(0.05)
        .default(0.5)
        .describe('A call is slow if it takes at least this share of its timeout.'),
      openMs: z
        .number()
        .int()
        .min(500)
        .max(600_000)
        .default(5_000)
        .describe('How long it stays open before it sends probes.'),
      probes: z.number().int().min(1).max(100).default(3).describe('Probes that must all succeed before it closes.'),
    })
    .prefault({})
    .describe('Circuit breaker of each operation except retrieve, modify, and cancel.'),
  retry: z
    .strictObject({
      share: share
        .default(0.2)
        .describe('Retries allowed as a share of calls made. 0 = none. Applies to searches and retrieve only.'),
      baseMs: z.number().int().min(1).max(5_000).default(100).describe('A retry waits a random share of this time.'),
    })
    .prefault({}),
  bulkhead: z
    .strictObject({
      queue: z.number().int().min(0).max(100_000).default(256).describe('Maximum calls waiting for a free socket.'),
      waitShare: share.default(0.25).describe('Maximum wait, as a share of the timeout of a call.'),
      searchShare: share
        .min(0.1)
        .default(0.875)
        .describe('Share of the sockets that searches may use. The rest is reserved for bookings.'),
      accountShare: share
        .min(0.1)
        .default(0.75)
        .describe(
          'Share of the sockets that one account may use while no other does. 1 = all, if only one account exists.',
        ),
    })
    .prefault({}),
});

const cacheBytes = z
  .number()
  .int()
  .min(1_000_000)
  .max(2_000_000_000)
  .default(50_000_000)
  .describe('Maximum memory of the answers that a gateway keeps.');

/** docs/caching.md explains each setting. */
const cache = z
  .strictObject({
    searchVehicles: z
      .strictObject({
        ttlSeconds: z.number().int().min(1).max(3_600).describe('Maximum age of an answer from memory.'),
        maxBytes: cacheBytes,
      })
      .optional(),
    searchLocations: z
      .strictObject({
        ttlSeconds: z.number().int().min(1).max(86_400).describe('Maximum age of an answer from memory.'),
        staleSeconds: z
          .number()
          .int()
          .min(0)
          .max(604_800)
          .default(0)
          .describe('How much longer an answer is used while the supplier is asked again in the background.'),
        maxBytes: cacheBytes,
      })
      .optional(),
  })
  .prefault({});

/** Contents of one `config/suppliers/<id>.yaml`. The file name must match its `id`. */
const supplierFileSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_]{1,30}$/)
    .describe('Lowercase id of the supplier in every answer.'),
  name: z.string().min(1).describe('Display name in supplier_failure and no_supplier_results entries.'),
  adapter: z.string().describe('Adapter kind: abg, ota-xml, rest.'),
  state: z
    .enum(SUPPLIER_STATES)
    .default('live')
    .describe('State until an operator changes it at run time (gw supplier).'),
  order: z.number().int().default(100).describe('Position in answers and entries. Ties are ordered by id.'),
  url: z.string().optional().describe('Base URL. Not needed with an embedded simulator.'),
  brands: z.array(z.string().min(1)).min(1),
  loyaltyPrograms: z
    .record(z.string(), z.array(z.string().min(1).max(32)).max(20))
    .default({})
    .describe(
      "Brand → names of its loyalty programs besides the brand's own. Only memberships of these are sent to the supplier.",
    ),
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .default([])
    .describe('Pickup countries served. Empty = all.'),
  content: supplierContent,
  environments: z.array(z.enum(['sandbox', 'production'])).default(['sandbox', 'production']),
  timeoutMs: z
    .strictObject({
      searchLocations: timeout.default(2_000),
      searchVehicles: timeout.default(4_000),
      priceCheck: timeout.default(4_000),
      book: timeout.default(10_000),
      retrieve: timeout.default(4_000),
      modify: timeout.default(10_000),
      cancel: timeout.default(10_000),
      locationDetails: timeout.default(2_000),
    })
    .prefault({}),
  settleSeconds: z
    .strictObject({ book: settle.optional(), modify: settle.optional(), cancel: settle.optional() })
    .default({})
    .describe('How long after a lost call this supplier may still execute it. Default: reservations.settleSeconds.'),
  connections: z
    .number()
    .int()
    .min(1)
    .max(2_048)
    .default(64)
    .describe('Maximum sockets to this supplier, and as many for changes to reservations.'),
  maxAnswerBytes: z
    .number()
    .int()
    .min(10_000)
    .max(8_000_000)
    .default(2_000_000)
    .describe('Maximum size of one answer, decompressed. A larger one is bad_payload.'),
  allowPrivateNetwork: z
    .boolean()
    .default(false)
    .describe(
      'Allows the host to resolve to a private, link-local, or loopback address. Without it, the gateway refuses to connect.',
    ),
  traceparent: z
    .boolean()
    .default(true)
    .describe('Sends the W3C traceparent header of a traced request to this supplier.'),
  slo: supplierSlo,
  resilience: resilience.prefault({}),
  quota: z
    .strictObject({
      perSecond: z
        .number()
        .min(0.1)
        .max(10_000)
        .optional()
        .describe('HTTP calls per second that one gateway may send. Absent = no limit.'),
      burst: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('Calls allowed in one burst. Default: perSecond / 10.'),
      concurrent: z
        .number()
        .int()
        .min(1)
        .max(2_048)
        .optional()
        .describe('Maximum concurrent HTTP calls. Default: connections.'),
    })
    .prefault({})
    .describe('What the supplier allows per gateway. Bookings have priority over searches.'),
  cache: cache.describe('Searches that may be answered from memory. Absent = none.'),
  lookToBook: z
    .strictObject({
      ratio: z.number().int().min(1).max(1_000_000).describe('Searches allowed per booking.'),
      windowHours: z.number().int().min(1).max(168).default(24).describe('Hours over which they are counted.'),
    })
    .optional()
    .describe('Searches per booking that were agreed with the supplier. Absent = no limit.'),
  credentials: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Name → environment variable, written ${NAME}, or file, written ${file:/run/secrets/name}. Plain text is allowed only for simulated suppliers (no url).',
    ),
  options: z.record(z.string(), z.unknown()).default({}).describe('Options of the adapter.'),
  contract: z
    .strictObject({
      place: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional()
        .describe(
          'Airport (IATA) where the contract kit searches. Default: a large airport in `countries`, otherwise BOS.',
        ),
      skip: z
        .record(z.string().regex(/^[a-z0-9_]+(\.[a-zA-Z]+)?$/), z.string().min(20))
        .default({})
        .describe(
          'Contract kit case, or case.operation → reason why this supplier cannot pass it (docs/contract-kit.md).',
        ),
    })
    .prefault({}),
  simulator: z
    .strictObject({
      dialect: z
        .enum(['abg', 'ota', 'hold', 'flat', 'recorded'])
        .describe('recorded: plays the manifest back from recorded answers.'),
      answers: z
        .string()
        .optional()
        .describe(
          'For `recorded`: folder of the answers, relative to this file. Default: a folder next to it, named after the supplier.',
        ),
      port: z.number().int().min(0).max(65_535).default(0).describe('0 = any free port.'),
      seed: z.number().int().default(1),
      latency: z
        .strictObject({
          medianMs: z.number().min(0),
          sigma: z.number().min(0).max(3),
          maxMs: z.number().min(0).optional(),
        })
        .prefault({ medianMs: 60, sigma: 0.4 }),
      chaos: z
        .strictObject({
          errorRate: z.number().min(0).max(1).default(0),
          timeoutRate: z.number().min(0).max(1).default(0),
          garbageRate: z.number().min(0).max(1).default(0),
          resetRate: z.number().min(0).max(1).default(0),
        })
        .optional(),
    })
    .optional()
    .describe(
      'Behavior of the simulator of this supplier. If url is set, only `gw sim serve` and the contract kit use it.',
    ),
});

/**
 * A supplier as defined in its file. `isSimulated`: the gateway calls a simulator, embedded or at SUPPLIER_<ID>_URL. A
 * `url` in the file is the real system of the supplier.
 * Invalid if `loyaltyPrograms` names a brand that isn't in `brands`: its memberships would never be sent.
 */
export const supplierConfigSchema = supplierFileSchema
  .superRefine(({ brands, loyaltyPrograms }, context) => {
    for (const brand of Object.keys(loyaltyPrograms))
      if (!brands.includes(brand))
        context.addIssue({
          code: 'custom',
          path: ['loyaltyPrograms', brand],
          message: `is not one of the brands (${brands.join(', ')})`,
        });
  })
  .transform((supplier) => ({
    ...supplier,
    isSimulated: supplier.simulator !== undefined && supplier.url === undefined,
  }));

export type SupplierConfig = z.infer<typeof supplierConfigSchema>;
