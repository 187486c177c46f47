import { z } from 'zod';
import { adminSettings } from './admin-settings.js';
import { parseDatabaseUrl } from './database-url.js';
import { exchangeRateSettings } from './exchange-rate-settings.js';
import { platformSettings } from './platform-settings.js';
import { plainRange } from './proxy-range.js';
import { parseRedisUrl } from './redis-url.js';
import { reservationSettings } from './reservation-settings.js';
import { searchPageSettings } from './search-page-settings.js';
import { simulatorSettings } from './simulator-settings.js';
import { alertSettings, sloSettings } from './slo-settings.js';
import { tracingSettings } from './tracing-settings.js';

const ms = (min: number, max: number) => z.number().int().min(min).max(max);

/** A URL that `parse` reads; it throws an Error that says what is wrong. */
const urlFor = (parse: (url: string) => unknown) =>
  z.string().superRefine((url, context) => {
    try {
      parse(url);
    } catch (error) {
      context.addIssue({ code: 'custom', message: (error as Error).message });
    }
  });

/** The fewest characters of a master secret. */
export const SHORTEST_SECRET = 32;

/**
 * Every setting with its unit, range and default. `config/default.yaml` lists the defaults, `config/<environment>.yaml`
 * overrides them, and the variables in `environmentVariables` override both. Unknown keys are rejected.
 */
export const configSchema = z.strictObject({
  environment: z
    .enum(['sandbox', 'production'])
    .default('sandbox')
    .describe('Environment this process serves: its credentials and its suppliers.'),
  workers: z
    .number()
    .int()
    .min(1)
    .max(64)
    .default(1)
    .describe(
      'Processes that answer requests on one port, ideally one per core. More than 1 need Redis and PostgreSQL.',
    ),
  backgroundWork: z
    .boolean()
    .default(true)
    .describe(
      'Does what no request waits for: checks unknown outcomes, erases and deletes old data, sends notices and emails left by others. Of several workers, the first does it. At least one gateway must.',
    ),
  http: z
    .strictObject({
      host: z.string().default('127.0.0.1').describe('Address to listen on.'),
      port: z
        .number()
        .int()
        .min(0)
        .max(65535)
        .default(3000)
        .describe('Port. If it is taken, the next free port up to +20 is used.'),
      bodyLimitBytes: z.number().int().min(1024).max(10_000_000).default(65_536).describe('Maximum request body size.'),
      urlLimitCharacters: z.number().int().min(200).max(8_000).default(2_000).describe('Maximum URL length (spec §8).'),
      headerLimitBytes: z
        .number()
        .int()
        .min(4_096)
        .max(65_536)
        .default(16_384)
        .describe('Maximum size of all request headers combined.'),
      requestBudgetMs: ms(50, 120_000)
        .default(8_000)
        .describe('Time budget of a request. Supplier timeouts must be shorter (ruling 7).'),
      headersTimeoutMs: ms(100, 120_000).default(10_000).describe('Time a client has to send its headers.'),
      stallMs: ms(500, 120_000)
        .default(5_000)
        .describe('A client that reads nothing of its answer for this long is disconnected.'),
      unreadBytes: z
        .number()
        .int()
        .min(1_000_000)
        .max(4_000_000_000)
        .default(32_000_000)
        .describe(
          'Memory that the applications of one account may occupy in this process with answers being made or not read yet. Beyond it, their calls wait, then get 429.',
        ),
      maxConcurrent: z
        .number()
        .int()
        .min(1)
        .max(100_000)
        .default(2_000)
        .describe(
          'Requests that this process works on at a time, even if most of them wait for suppliers. It lowers the limit itself while its processor is the bottleneck; further requests wait for up to two seconds, then get 503.',
        ),
      compression: z
        .boolean()
        .default(true)
        .describe('Compresses JSON of more than 4 KB with zstd or gzip for callers that accept it.'),
      drainMs: ms(0, 60_000)
        .default(500)
        .describe('Time after SIGTERM to answer with Connection: close before the port closes.'),
      trustedProxies: z
        .array(z.string().transform(plainRange))
        .default([])
        .describe('Addresses or CIDR ranges whose X-Forwarded-For header is trusted.'),
      publicUrl: z
        .string()
        .optional()
        .describe('Base URL used in documents and mails. Default: the listening address.'),
    })
    .prefault({}),
  metrics: z
    .strictObject({
      host: z
        .string()
        .default('127.0.0.1')
        .describe('Address of /metrics, which requires no authentication. Never one that callers can reach.'),
      port: z
        .number()
        .int()
        .min(0)
        .max(65535)
        .default(9464)
        .describe('Port of /metrics. If it is taken, the next free port up to +20 is used.'),
    })
    .prefault({}),
  admin: adminSettings,
  slo: sloSettings,
  alerts: alertSettings,
  tracing: tracingSettings,
  dataFolder: z
    .string()
    .default('./data')
    .describe('Folder for the PGlite database, generated keys, and first-steps.json.'),
  secret: z
    .string()
    .min(SHORTEST_SECRET)
    .optional()
    .describe('Master secret that all keys are derived from. Default: the content of secretFile.'),
  secretFile: z
    .string()
    .optional()
    .describe(
      'File with the master secret. Gateways can share it. If it does not exist, it is generated in a sandbox, and refused in production. Default: "secret" in the data folder, generated in both.',
    ),
  otherSecret: z
    .string()
    .min(SHORTEST_SECRET)
    .optional()
    .describe(
      'Another master secret: what was made with it is accepted, and nothing is made with it (docs/configuration.md#change-the-secret).',
    ),
  redisUrl: urlFor(parseRedisUrl)
    .optional()
    .describe(
      'Redis for tokens and limits: redis://, redis+sentinel:// or redis+cluster://. Default: memory of this process.',
    ),
  databaseUrl: urlFor(parseDatabaseUrl)
    .optional()
    .describe(
      'PostgreSQL, as libpq writes it: several hosts with target_session_attrs=read-write. Default: PGlite in the data folder.',
    ),
  databaseDirectUrl: urlFor(parseDatabaseUrl)
    .optional()
    .describe('PostgreSQL without the pooler that databaseUrl points to: for migrations. Default: databaseUrl.'),
  databaseMigrations: z
    .enum(['apply', 'wait'])
    .default('apply')
    .describe(
      'What a gateway does with pending migrations of PostgreSQL when it starts: apply them, or wait until "gw migrate apply" has.',
    ),
  tokens: z
    .strictObject({
      lifetimeSeconds: z.number().int().min(1).max(86_400).default(7_199).describe('Spec §5.4.'),
      maxLivePerApplication: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(200)
        .describe('Maximum live tokens per application. Beyond it, the oldest token is revoked (ruling 11).'),
      failures: z
        .strictObject({ perMinute: z.number().int().min(1), burst: z.number().int().min(1) })
        .default({ perMinute: 300, burst: 300 })
        .describe(
          'Failed credential checks allowed per address, across all client ids. Beyond it, 429 until it refills.',
        ),
    })
    .prefault({}),
  throttling: z
    .strictObject({
      tokenOperation: z
        .strictObject({ perMinute: z.number().int().min(1), burst: z.number().int().min(1) })
        .default({ perMinute: 600, burst: 120 })
        .describe('Token calls allowed per client_id and address.'),
    })
    .prefault({}),
  store: z
    .strictObject({
      commandTimeoutMs: ms(20, 10_000)
        .default(500)
        .describe('A Redis command that takes longer counts as a store failure (ruling 26).'),
    })
    .prefault({}),
  search: z
    .strictObject({
      timeoutMs: z
        .strictObject({ min: ms(50, 60_000), max: ms(50, 60_000) })
        .default({ min: 200, max: 6_000 })
        .describe("Bounds of the caller's timeout_ms."),
      maxResults: z.number().int().min(1).max(2_000).default(1_000).describe('Upper bound of max_results.'),
      defaultResults: z
        .number()
        .int()
        .min(1)
        .max(2_000)
        .default(200)
        .describe('max_results when the caller does not set it.'),
      maxAnswerBytes: z
        .number()
        .int()
        .min(100_000)
        .max(64_000_000)
        .default(8_000_000)
        .describe(
          'Maximum size of the offers in one answer. Offers beyond it are left out, as beyond max_results, first those of suppliers that need more than an equal part.',
        ),
      offerTtlSeconds: z
        .number()
        .int()
        .min(60)
        .max(3_600)
        .default(900)
        .describe('Lifetime of an offer when the supplier does not state one.'),
      locationsMaxAgeSeconds: z
        .number()
        .int()
        .min(0)
        .max(86_400)
        .default(300)
        .describe('Cache-Control max-age of location answers.'),
      pages: searchPageSettings,
    })
    .prefault({}),
  suppliers: z
    .strictObject({
      reloadMs: ms(0, 60_000)
        .default(1_000)
        .describe(
          'How often supplier files are checked for changes. A change is applied once two checks see the same content. 0 = never.',
        ),
      statesMs: ms(50, 60_000)
        .default(500)
        .describe('How often each gateway reads the supplier states, maintenance, and switches set by operators.'),
      readerThreads: z
        .number()
        .int()
        .min(1)
        .max(16)
        .default(2)
        .describe('Most threads that read large supplier answers. They start when the first one arrives.'),
    })
    .prefault({}),
  exchangeRates: exchangeRateSettings,
  reservations: reservationSettings,
  ...platformSettings,
  personalDataKeys: z
    .string()
    .optional()
    .describe(
      'AES-256 keys for personal data: "2:<32 bytes base64>,1:<…>". The first one encrypts, all of them decrypt; "0" is the key derived from the master secret, which is the default.',
    ),
  secretKeys: z
    .string()
    .optional()
    .describe(
      'AES-256 keys that wrap the keys of client secrets, in the same format as personalDataKeys, with the same default.',
    ),
  maintenance: z
    .strictObject({
      on: z.boolean().default(false),
      retryAfterSeconds: z.number().int().min(1).max(86_400).default(120),
    })
    .default({ on: false, retryAfterSeconds: 120 })
    .describe('Answers every API call with 503.'),
  compat: z
    .strictObject({ throttledMessage: z.enum(['published', 'standard']).default('published') })
    .default({ throttledMessage: 'published' })
    .describe('Message text of 429 (ruling 17).'),
  log: z
    .strictObject({ level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info') })
    .default({ level: 'info' }),
  simulators: simulatorSettings,
});

export type Config = z.infer<typeof configSchema>;
