import { z } from 'zod';

/**
 * `off`: not asked for anything but its reservations. `shadow`: searches are sent to it after their answers are out, to compare. `live`. `drain`: no
 * searches and no new bookings. `maintenance`: skipped, and named as skipped. Reservations are served in every state.
 */
export const SUPPLIER_STATES = ['off', 'shadow', 'live', 'drain', 'maintenance'] as const;

export type SupplierState = (typeof SUPPLIER_STATES)[number];

const timeout = z.number().int().min(20).max(60_000);

/** One file `config/suppliers/<id>.yaml`; the file's name must be its `id`. */
export const supplierConfigSchema = z.strictObject({
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
  credentials: z
    .record(z.string(), z.string())
    .default({})
    .describe('Name → environment variable, written ${NAME}; a plain text is allowed only with a simulator.'),
  options: z.record(z.string(), z.unknown()).default({}).describe("The adapter's own switches."),
  contract: z
    .strictObject({
      place: z
        .string()
        .regex(/^[A-Z]{3}$/)
        .optional()
        .describe('Airport (IATA) where the contract kit looks for cars; default: a large one of `countries`, else BOS.'),
      skip: z
        .record(z.string().regex(/^[a-z0-9_]+(\.[a-zA-Z]+)?$/), z.string().min(20))
        .default({})
        .describe('Case of the contract kit, or case.operation → why this supplier cannot keep it (docs/contract-kit.md).'),
    })
    .prefault({}),
  simulator: z
    .strictObject({
      dialect: z.enum(['abg', 'ota', 'hold', 'flat']),
      port: z.number().int().min(0).max(65_535).default(0).describe('0 = any free port.'),
      seed: z.number().int().default(1),
      latency: z
        .strictObject({ medianMs: z.number().min(0), sigma: z.number().min(0).max(3), maxMs: z.number().min(0).optional() })
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
    .describe('How the simulator that stands for this supplier behaves; absent = a real supplier.'),
});

export type SupplierConfig = z.infer<typeof supplierConfigSchema>;
