interface EnvironmentVariable {
  readonly path: readonly string[];
  readonly read: 'text' | 'number' | 'boolean' | 'list';
  readonly isSecret?: true;
}

/**
 * Environment variable → path of the setting it overrides, and how its text is read. The value of one with `isSecret` may
 * also be in the file that `<NAME>_FILE` names.
 */
export const environmentVariables: Readonly<Record<string, EnvironmentVariable>> = {
  WORKERS: { path: ['workers'], read: 'number' },
  BACKGROUND_WORK: { path: ['backgroundWork'], read: 'boolean' },
  HOST: { path: ['http', 'host'], read: 'text' },
  PORT: { path: ['http', 'port'], read: 'number' },
  DRAIN_MS: { path: ['http', 'drainMs'], read: 'number' },
  COMPRESSION: { path: ['http', 'compression'], read: 'boolean' },
  REQUEST_BUDGET_MS: { path: ['http', 'requestBudgetMs'], read: 'number' },
  PUBLIC_URL: { path: ['http', 'publicUrl'], read: 'text' },
  TRUSTED_PROXIES: { path: ['http', 'trustedProxies'], read: 'list' },
  METRICS_HOST: { path: ['metrics', 'host'], read: 'text' },
  METRICS_PORT: { path: ['metrics', 'port'], read: 'number' },
  ADMIN_HOST: { path: ['admin', 'host'], read: 'text' },
  ADMIN_PORT: { path: ['admin', 'port'], read: 'number' },
  ADMIN_TLS_CERT_FILE: { path: ['admin', 'tls', 'certFile'], read: 'text' },
  ADMIN_TLS_KEY_FILE: { path: ['admin', 'tls', 'keyFile'], read: 'text' },
  ALERT_WEBHOOK_URL: { path: ['alerts', 'webhookUrl'], read: 'text', isSecret: true },
  ALERT_WEBHOOK_AUTHORIZATION: { path: ['alerts', 'webhookAuthorization'], read: 'text', isSecret: true },
  OTEL_EXPORTER_OTLP_ENDPOINT: { path: ['tracing', 'endpoint'], read: 'text' },
  OTEL_EXPORTER_OTLP_HEADERS: { path: ['tracing', 'headers'], read: 'text', isSecret: true },
  OTEL_EXPORTER_OTLP_TIMEOUT: { path: ['tracing', 'timeoutMs'], read: 'number' },
  OTEL_SERVICE_NAME: { path: ['tracing', 'serviceName'], read: 'text' },
  DATA_DIR: { path: ['dataFolder'], read: 'text' },
  JOURNAL_DIR: { path: ['reservations', 'journal', 'folder'], read: 'text' },
  JOURNAL_NAME: { path: ['reservations', 'journal', 'name'], read: 'text' },
  REDIS_URL: { path: ['redisUrl'], read: 'text', isSecret: true },
  DATABASE_URL: { path: ['databaseUrl'], read: 'text', isSecret: true },
  DATABASE_DIRECT_URL: { path: ['databaseDirectUrl'], read: 'text', isSecret: true },
  DATABASE_MIGRATIONS: { path: ['databaseMigrations'], read: 'text' },
  CLIENT_SECRET_KEYS: { path: ['secretKeys'], read: 'text', isSecret: true },
  PERSONAL_DATA_KEYS: { path: ['personalDataKeys'], read: 'text', isSecret: true },
  FORECOURT_SECRET: { path: ['secret'], read: 'text' },
  FORECOURT_SECRET_FILE: { path: ['secretFile'], read: 'text' },
  FORECOURT_OTHER_SECRET: { path: ['otherSecret'], read: 'text', isSecret: true },
  SMTP_URL: { path: ['mail', 'smtpUrl'], read: 'text', isSecret: true },
  MAIL_FROM: { path: ['mail', 'from'], read: 'text' },
  LOG_LEVEL: { path: ['log', 'level'], read: 'text' },
  EXCHANGE_RATES_URL: { path: ['exchangeRates', 'url'], read: 'text' },
  MAINTENANCE: { path: ['maintenance', 'on'], read: 'boolean' },
  SIMULATORS_EMBEDDED: { path: ['simulators', 'embedded'], read: 'boolean' },
  SIMULATORS_LATENCY_SCALE: { path: ['simulators', 'latencyScale'], read: 'number' },
  SIMULATORS_CARS_PER_LOCATION: { path: ['simulators', 'carsPerLocation'], read: 'number' },
};
