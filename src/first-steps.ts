import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DemoApplication } from './auth/demo-applications.js';
import type { Config } from './config/config.module.js';
import { hasOutbox } from './config/outbox-rules.js';
import { reachableBecause } from './config/reachable.js';

/** Where the gateway answers. */
interface Addresses {
  readonly baseUrl: string;
  readonly metricsUrl: string;
  /** Undefined = there is none. */
  readonly adminUrl?: string | undefined;
  /** Path and key of the page of emails (OutboxKey). */
  readonly outboxLink: string;
}

/**
 * Writes `<data folder>/first-steps.json` {base_url, urls, applications[]} (mode 0600: it holds the demo secrets and
 * the link to the outbox, if there is one) and prints the block that a newcomer reads: addresses, demo credentials, three
 * commands and the data folder. `ms` is how long the start took. If others can call the gateway, its log is kept somewhere:
 * then no credentials are printed.
 */
export function writeFirstSteps(
  config: Config,
  { baseUrl, metricsUrl, adminUrl, outboxLink }: Addresses,
  applications: readonly DemoApplication[],
  ms: number,
): void {
  const urls = {
    portal: `${baseUrl}/`,
    api: `${baseUrl}/cars/locations/v1/`,
    openapi: `${baseUrl}/openapi.json`,
    health: `${baseUrl}/health/ready`,
    metrics: metricsUrl,
    ...(adminUrl === undefined ? {} : { admin: `${adminUrl}/admin/v1/` }),
    ...(hasOutbox(config) ? { outbox: `${baseUrl}${outboxLink}` } : {}),
  };
  mkdirSync(config.dataFolder, { recursive: true, mode: 0o700 });
  const file = join(config.dataFolder, 'first-steps.json');
  // Renamed into place: a program that watches for the file never reads half of it.
  writeFileSync(`${file}.new`, `${JSON.stringify({ base_url: baseUrl, urls, applications }, null, 2)}\n`, {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
  const [demo] = reachableBecause(config).length === 0 ? applications : [];
  const lines = [
    '',
    `Forecourt is ready at ${baseUrl} (${config.environment}, ${ms} ms)`,
    '',
    `  Platform          ${urls.portal}   (sign up there; docs, console, usage)`,
    ...(urls.outbox === undefined
      ? []
      : [`  Emails            ${urls.outbox}   (not sent, because SMTP_URL isn't set)`]),
    `  API description   ${urls.openapi}`,
    `  Health, metrics   ${urls.health}   ${urls.metrics}`,
    ...(urls.admin === undefined ? [] : [`  Admin API         ${urls.admin}`]),
    ...(demo ? demoLines(baseUrl, demo) : []),
    '',
    `  Data is stored in ${resolve(config.dataFolder)} (this information and all demo credentials as JSON: ${file}). To start over, stop the gateway and delete that folder.`,
    '',
  ];
  console.log(lines.join('\n'));
}

function demoLines(baseUrl: string, demo: DemoApplication): string[] {
  return [
    '',
    `  client_id         ${demo.client_id}`,
    `  client_secret     ${demo.client_secret}`,
    '',
    '  Copy and paste:',
    `  TOKEN=$(curl -s ${baseUrl}/oauth/token/v1 -H "client_id: ${demo.client_id}" -H "client_secret: ${demo.client_secret}" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl -s "${baseUrl}/cars/locations/v1/?country_code=US&keyword=boston" -H "Authorization: Bearer $TOKEN"`,
    `  curl -s "${baseUrl}/cars/locations/v1/?country_code=US&keyword=boston" -H "Authorization: Bearer $TOKEN" -H "X-Sandbox-Scenario: bravo=timeout"`,
  ];
}
