import { z } from 'zod';

/**
 * `off`: not asked for anything but its reservations. `shadow`: searches are sent to it after their answers are out, to compare. `live`. `drain`: no
 * searches and no new bookings. `maintenance`: skipped, and named as skipped. Reservations are served in every state.
 */
export const SUPPLIER_STATES = ['off', 'shadow', 'live', 'drain', 'maintenance'] as const;

export type SupplierState = (typeof SUPPLIER_STATES)[number];

const timeout = z.number().int().min(20).max(60_000);

const share = z.number().min(0).max(1);

/** docs/resilience.md says what each does. */
const resilience = z.strictObject({
  breaker: z
    .strictObject({
      windowMs: z.number().int().min(1_000).max(600_000).default(10_000).describe('It judges the calls of so long.'),
      minCalls: z
        .number()
        .int()
        .min(1)
        .max(1_000_000)
        .default(20)
        .describe('With fewer calls in the window it never opens.'),
      failureRate: share.min(0.05).default(0.5).describe('Share of failed calls at which it opens.'),
      slowRate: share.min(0.05).default(0.8).describe('Share of slow or failed calls at which it opens.'),
      slowShare: share.min(0.05).default(0.5).describe('A call is slow that took this part of its timeout or more.'),
      openMs: z
        .number()
        .int()
        .min(500)
        .max(600_000)
        .default(5_000)
        .describe('So long no call is made; then a few probes.'),
      probes: z.number().int().min(1).max(100).default(3).describe('Probes that must all go well before it closes.'),
    })
    .prefault({})
    .describe('Circuit breaker of each operation; retrieve, modify and cancel have none.'),
  retry: z
    .strictObject({
      share: share
        .default(0.2)
        .describe('Calls that may be repeated, as part of those made; 0 = none. Searches and retrieve only.'),
      baseMs: z.number().int().min(1).max(5_000).default(100).describe('A repetition waits a random part of it.'),
    })
    .prefault({}),
  bulkhead: z
    .strictObject({
      queue: z.number().int().min(0).max(100_000).default(256).describe('Calls that wait for a free socket at most.'),
      waitShare: share.default(0.25).describe('They wait this part of their timeout at most.'),
      searchShare: share
        .min(0.1)
        .default(0.875)
        .describe('Part of the sockets that searches may take; the rest is for bookings.'),
    })
    .prefault({}),
});

/** What stands in one file `config/suppliers/<id>.yaml`; the file's name must be its `id`. */
const supplierFileSchema = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z][a-z0-9_]{1,30}$/)
    .describe('Lower case; names the supplier in every answer.'),
  name: z.string().min(1).describe('Display name in supplier_failure and no_supplier_results entries.'),
  adapter: z.string().describe('Adapter kind: abg, ota-xml, rest.'),
  state: z.enum(SUPPLIER_STATES).default('live').describe('Until ops give it another at run time (gw supplier).'),
  order: z.number().int().default(100).describe('Place in answers and entries; ties by id.'),
  url: z.string().optional().describe('Base URL; not needed where a simulator is embedded.'),
  brands: z.array(z.string().min(1)).min(1),
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .default([])
    .describe('Pickup countries served; empty = all.'),
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
    })
    .prefault({}),
  connections: z.number().int().min(1).max(2_048).default(64).describe('Sockets to this supplier at most.'),
  maxAnswerBytes: z.number().int().min(10_000).max(100_000_000).default(8_000_000),
  allowPrivateNetwork: z
    .boolean()
    .default(false)
    .describe(
      'Its host may have a private, link-local or loopback address; without it the gateway does not connect to one.',
    ),
  resilience: resilience.prefault({}),
  quota: z
    .strictObject({
      perSecond: z
        .number()
        .min(0.1)
        .max(10_000)
        .optional()
        .describe('HTTP calls a second that one gateway may send; absent = no limit.'),
      burst: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .optional()
        .describe('Calls that may go at once after a quiet time; default: perSecond / 10.'),
      concurrent: z
        .number()
        .int()
        .min(1)
        .max(2_048)
        .optional()
        .describe('HTTP calls under way at most; default: connections.'),
    })
    .prefault({})
    .describe('What the supplier allows, for each gateway. Bookings go before searches.'),
  credentials: z
    .record(z.string(), z.string())
    .default({})
    .describe('Name → environment variable, written ${NAME}; a plain text only where a simulator plays it (no url).'),
  options: z.record(z.string(), z.unknown()).default({}).describe("The adapter's own switches."),
  contract: z
    .strictObject({
      place: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional()
        .describe(
          'Airport (IATA) where the contract kit looks for cars; default: a large one of `countries`, else BOS.',
        ),
      skip: z
        .record(z.string().regex(/^[a-z0-9_]+(\.[a-zA-Z]+)?$/), z.string().min(20))
        .default({})
        .describe(
          'Case of the contract kit, or case.operation → why this supplier cannot keep it (docs/contract-kit.md).',
        ),
    })
    .prefault({}),
  simulator: z
    .strictObject({
      dialect: z
        .enum(['abg', 'ota', 'hold', 'flat', 'recorded'])
        .describe('recorded: its own manifest turned round, from recorded answers.'),
      answers: z
        .string()
        .optional()
        .describe(
          'Of `recorded`: the folder of the answers, seen from this file; default: beside it, named as the supplier.',
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
      'How the simulator that stands for this supplier behaves. Beside a url it serves `gw sim serve` and the contract kit only.',
    ),
});

/** A supplier as its file has it; `isPlayed`: the gateway calls a simulator, here or where SUPPLIER_<ID>_URL says. A `url` in the file is the supplier's own. */
export const supplierConfigSchema = supplierFileSchema.transform((supplier) => ({
  ...supplier,
  isSimulated: supplier.simulator !== undefined && supplier.url === undefined,
}));

export type SupplierConfig = z.infer<typeof supplierConfigSchema>;
