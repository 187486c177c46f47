import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { ConfigError, type LoadedConfig, loadConfig } from '../config/load-config.js';
import { type Setting, settingsOf } from '../config/setting-sources.js';
import { type StartProblem, startProblems, startWarnings } from '../config/start-checks.js';
import type { Tiers } from '../products/policy.js';
import { readTiers } from '../products/product-file.js';
import {
  checkAdminTls,
  checkDataFolder,
  checkKeyLists,
  checkMail,
  checkSecret,
  checkSpace,
  checkSuppliers,
  checkTrust,
} from './doctor-checks.js';
import { checkDatabase } from './doctor-database.js';
import { askGateway } from './doctor-gateway.js';
import { checkProxy } from './doctor-proxy.js';
import { checkRates } from './doctor-rates.js';
import { checkStore } from './doctor-store.js';
import { type Finding, printable, wrong } from './finding.js';
import { print } from './terminal.js';

/**
 * Adds `gw doctor`, which prints every setting with its source and the result of each check. Exits with 1 if a check
 * fails.
 */
export function addDoctorCommand(gw: Command): void {
  gw.command('doctor')
    .description(
      'show every setting and its source; check the store, database, suppliers, proxies, clocks, mail, data folder, secret, and the health of the service: failing suppliers, waiting reviews, queues, disk, certificates',
    )
    .option(
      '--url <url>',
      "public address of the gateway; checks whether proxies in front of it pass the caller's headers",
    )
    .option('--json', 'print one JSON object {ok, settings, findings}')
    .action(async ({ url, json }: { url?: string; json?: boolean }) => {
      const report = await examine(url);
      print(json ? JSON.stringify(report, null, 2) : linesOf(report).join('\n'));
      if (!report.ok) process.exitCode = 1;
    });
}

interface Report {
  readonly ok: boolean;
  readonly settings: readonly Setting[];
  readonly findings: readonly Finding[];
}

async function examine(url: string | undefined): Promise<Report> {
  const folder = configFolder(process.env);
  try {
    const loaded = loadConfig(folder, process.env);
    const tiers = readTiers(folder, loaded.config);
    const findings = await checkAll(loaded, folder, tiers, url);
    return { ok: findings.every(({ ok }) => ok), settings: settingsOf(loaded.config, folder, process.env), findings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.faults.map((fault) =>
      wrong('configuration', fault, `correct it in ${folder} or in the environment variable`),
    );
    return { ok: false, settings: [], findings };
  }
}

/**
 * Runs all checks concurrently and returns the findings in the order of the report. Each takes at most a few seconds.
 * What the gateway refuses to start with comes first and replaces the other findings about that part.
 */
async function checkAll(
  { config, suppliers, secretFiles }: LoadedConfig,
  folder: string,
  tiers: Tiers,
  url: string | undefined,
): Promise<Finding[]> {
  const asFinding = ({ subject, found, todo }: StartProblem): Finding => wrong(subject, found, todo);
  const refused = startProblems({ config, secretFiles }).map(asFinding);
  const health = await askGateway();
  const parts = await Promise.all([
    health ?? [],
    checkStore(config),
    checkDatabase(config, tiers, health ? undefined : suppliers),
    checkSuppliers(config, suppliers),
    url === undefined ? [] : checkProxy(url),
    checkTrust(config),
    checkKeyLists(config),
    checkAdminTls(config),
    startWarnings({ config, secretFiles }).map(asFinding),
    checkMail(config),
    checkDataFolder(config),
    checkSpace(config),
    checkSecret(config),
    checkRates(config, folder),
  ]);
  return [...refused, ...parts.flat().filter(({ subject }) => !refused.some((other) => other.subject === subject))];
}

function linesOf({ ok, settings, findings }: Report): string[] {
  const width = Math.max(0, ...settings.map(({ name }) => name.length));
  return [
    ...settings.map(
      ({ name, value, source }) =>
        `${name.padEnd(width)}  ${value === undefined ? '-' : JSON.stringify(value)}  (${source})`,
    ),
    '',
    ...findings.map(printable),
    '',
    ok ? 'All checks passed.' : `Checks failed: ${findings.filter((finding) => !finding.ok).length}.`,
  ];
}
