import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { ConfigError, type LoadedConfig, loadConfig } from '../config/load-config.js';
import { type Setting, settingsOf } from '../config/setting-sources.js';
import { readTiers } from '../products/product-file.js';
import { checkDataFolder, checkMail, checkSecret, checkStore, checkSuppliers, checkTrust } from './doctor-checks.js';
import { checkDatabase } from './doctor-database.js';
import { checkProxy } from './doctor-proxy.js';
import { type Finding, wrong } from './finding.js';

/** Adds `gw doctor`: every setting with its source, then what works and what does not; exit code 1 when something is wrong. */
export function addDoctorCommand(gw: Command): void {
  gw.command('doctor')
    .description(
      'show every setting and where it comes from; check store, database, suppliers, proxy, clocks, folder and secret',
    )
    .option(
      '--url <url>',
      "public address of the service: tells whether what stands in front of it lets the caller's headers through",
    )
    .option('--json', 'one JSON object {ok, settings, findings} instead of lines')
    .action(async ({ url, json }: { url?: string; json?: boolean }) => {
      const report = await examine(url);
      console.log(json ? JSON.stringify(report, null, 2) : linesOf(report).join('\n'));
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
    readTiers(folder, loaded.config);
    const findings = await checkAll(loaded, url);
    return { ok: findings.every(({ ok }) => ok), settings: settingsOf(loaded.config, folder, process.env), findings };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.faults.map((fault) =>
      wrong('configuration', fault, `correct it in ${folder} or in the variable`),
    );
    return { ok: false, settings: [], findings };
  }
}

/** In the order of the report. They wait for nobody but themselves: none takes longer than some seconds. */
async function checkAll({ config, suppliers }: LoadedConfig, url: string | undefined): Promise<Finding[]> {
  const parts = await Promise.all([
    checkStore(config),
    checkDatabase(config),
    checkSuppliers(config, suppliers),
    url === undefined ? [] : checkProxy(url),
    checkTrust(config),
    checkMail(config),
    checkDataFolder(config),
    checkSecret(config),
  ]);
  return parts.flat();
}

function linesOf({ ok, settings, findings }: Report): string[] {
  const width = Math.max(0, ...settings.map(({ name }) => name.length));
  return [
    ...settings.map(
      ({ name, value, source }) =>
        `${name.padEnd(width)}  ${value === undefined ? '-' : JSON.stringify(value)}  (${source})`,
    ),
    '',
    ...findings.map(
      (finding) =>
        `${finding.ok ? 'ok   ' : 'WRONG'}  ${finding.subject}: ${finding.found}${finding.todo ? `. To do: ${finding.todo}` : ''}`,
    ),
    '',
    ok ? 'Nothing is wrong.' : `${findings.filter((finding) => !finding.ok).length} wrong.`,
  ];
}
