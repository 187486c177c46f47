import { readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Config, SHORTEST_SECRET } from './config.schema.js';
import { isGuessable } from './guessable.js';
import { ConfigError, type LoadedConfig } from './load-config.js';
import { isLoopback } from './loopback.js';
import { knownSecret, lackedSecret, secretFileOf } from './master-secret.js';
import { outboxRisk } from './outbox-rules.js';
import { reachableBecause } from './reachable.js';
import { otlpHeaders } from './tracing-settings.js';

/** Why the gateway must not start with a configuration, and how to fix that. */
export interface StartProblem {
  /** As in the report of `gw doctor`. */
  readonly subject: string;
  readonly found: string;
  readonly todo: string;
}

/** What is checked. */
export type Checked = Pick<LoadedConfig, 'config' | 'secretFiles'>;

/** A check returns undefined if it finds nothing. It reads the settings and the data folder, and changes nothing. */
type StartCheck = (config: Config, secretFiles: Checked['secretFiles']) => StartProblem | undefined;

/** Every check, in the order of the report. Settings that are wrong by themselves are in load-config.ts. */
const CHECKS: readonly StartCheck[] = [
  checkSecrets,
  checkOtherSecret,
  checkSecretFiles,
  checkOutbox,
  checkDataFolder,
  checkEmbedded,
  checkWorkers,
  (config) => (config.environment === 'production' ? checkTracing(config) : undefined),
];

/** As CHECKS, of what a gateway starts with: it may be as its operator wants it. */
const WARNINGS: readonly StartCheck[] = [
  (config) => (config.environment === 'production' ? undefined : checkTracing(config)),
  checkAdmin,
];

/**
 * What makes a configuration unsafe: the gateway doesn't start with it, and `gw doctor` reports it. Empty = nothing.
 */
export function startProblems({ config, secretFiles }: Checked): readonly StartProblem[] {
  return CHECKS.flatMap((check) => check(config, secretFiles) ?? []);
}

/** What a gateway starts with, after a warning in its log, and `gw doctor` reports. Empty = nothing. */
export function startWarnings({ config, secretFiles }: Checked): readonly StartProblem[] {
  return WARNINGS.flatMap((check) => check(config, secretFiles) ?? []);
}

/** Throws ConfigError with everything that `startProblems` finds. */
export function refuseUnsafeStart(checked: Checked): void {
  const problems = startProblems(checked);
  if (problems.length === 0) return;
  throw new ConfigError(problems.map(({ subject, found, todo }) => `${subject}: ${found}. To fix: ${todo}`));
}

/** Offer ids, demo credentials and stored client secrets could be computed from a known secret. */
function checkSecrets(config: Config): StartProblem | undefined {
  const lacked = lackedSecret(config);
  if (lacked) return { subject: 'secret', ...lacked };
  const from = config.secret === undefined ? secretFileOf(config) : 'FORECOURT_SECRET';
  const master = knownSecret(config);
  if (master !== undefined && master.length < SHORTEST_SECRET) return secretProblem(`${from} is too short`);
  const { environment, metrics } = config;
  const reasons = [
    ...reachableBecause(config),
    ...(isLoopback(metrics.host) ? [] : [`metrics.host is "${metrics.host}"`]),
  ];
  if (environment !== 'production' && reasons.length === 0) return undefined;
  const secrets: readonly (readonly [name: string, secret: string | undefined])[] = [
    [from, master],
    ['FORECOURT_OTHER_SECRET', config.otherSecret],
    ...keysOf('PERSONAL_DATA_KEYS', config.personalDataKeys),
    ...keysOf('CLIENT_SECRET_KEYS', config.secretKeys),
  ];
  const weak = secrets.find(([, secret]) => secret !== undefined && isGuessable(secret));
  if (!weak) return undefined;
  const why =
    environment === 'production' ? 'in production' : `because others can reach the gateway: ${reasons.join(' and ')}`;
  return secretProblem(`${weak[0]} is a published value or easy to guess, which isn't allowed ${why}`);
}

/** Where Docker, Vault and the Secrets Store of Kubernetes mount secrets, readable for every user of the container. */
const CONTAINER_SECRETS = /^(?:(?:\/var)?\/run\/secrets|\/vault\/secrets|\/mnt\/secrets-store)\//;

/** Every file with a secret: the master secret, those of variables and suppliers, and the key of the admin API. */
function checkSecretFiles(config: Config, secretFiles: Checked['secretFiles']): StartProblem | undefined {
  const own = config.secret === undefined ? [secretFileOf(config)] : [];
  const key = config.admin.tls === undefined ? [] : [config.admin.tls.keyFile];
  const files = new Set([...own, ...key, ...secretFiles].map((file) => resolve(file)));
  const open = [...files].filter((file) => isOpenToAll(file));
  if (open.length === 0) return undefined;
  const found = open.map((file) => `${file} is open to all users of this machine (mode ${modeOf(file).toString(8)})`);
  return {
    subject: 'secret file',
    found: found.join(', '),
    todo: `chmod o= ${open.join(' ')}; in Kubernetes, set defaultMode: 0440; if the mode stays, as in a folder of Windows, move them to a Linux file system`,
  };
}

/**
 * A group may read a file with a secret (Kubernetes: `fsGroup`). Others may not, unless they can't enter a folder above it, or a
 * container mounts it: below `mounted`, or in a volume of Kubernetes. Links count as what they lead to.
 */
export function isOpenToAll(file: string, mounted = CONTAINER_SECRETS): boolean {
  const open = modeOf(file) & 0o007;
  if (open === 0) return false;
  const real = realpathSync(file);
  const folders = foldersAbove(real);
  const isReadOnly = (open & 0o002) === 0;
  return !(isReadOnly && (mounted.test(real) || folders.some(isVolume))) && folders.every(isEnterable);
}

/**
 * Whether Kubernetes keeps the files of a volume in this folder, by default with mode 0644: only users of the container see them.
 * The folder has a name such as `..2027_01_31_12_00_00.1`, and the link `..data` beside it leads to it.
 */
function isVolume(folder: string): boolean {
  const name = basename(folder);
  return name.startsWith('..') && targetOf(join(dirname(folder), '..data')) === name;
}

/** What a link leads to, as it is written; undefined for any other path. */
function targetOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function foldersAbove(path: string): readonly string[] {
  const folder = dirname(path);
  return folder === path ? [] : [folder, ...foldersAbove(folder)];
}

function isEnterable(folder: string): boolean {
  return (modeOf(folder) & 0o001) !== 0;
}

function secretProblem(found: string): StartProblem {
  return { subject: 'secret', found, todo: 'generate it: openssl rand -base64 32' };
}

/** With another secret, gateways that exchange theirs have other derived keys: none of these may encrypt. */
function checkOtherSecret({ otherSecret, personalDataKeys, secretKeys }: Config): StartProblem | undefined {
  const lists = { PERSONAL_DATA_KEYS: personalDataKeys, CLIENT_SECRET_KEYS: secretKeys };
  const derived = Object.entries(lists).filter(([, keys]) => /^0?(?:,|$)/.test((keys ?? '').trim()));
  if (otherSecret === undefined || derived.length === 0) return undefined;
  const names = derived.map(([name]) => name).join(' and ');
  const found = `FORECOURT_OTHER_SECRET is set, but ${names} would encrypt with the key derived from FORECOURT_SECRET, which changes with it`;
  const todo = `remove FORECOURT_OTHER_SECRET, and first set ${names} as in docs/authentication.md#rotate-a-key`;
  return { subject: 'other secret', found, todo };
}

/** The keys of a setting `<version>:<key>,…`, each with the name of its variable. `0` is the derived key, and none itself. */
function keysOf(variable: string, setting: string | undefined): (readonly [name: string, secret: string])[] {
  const parts = (setting?.split(',') ?? []).map((part) => part.trim()).filter((part) => part !== '0');
  return parts.map((part) => [variable, part.replace(/^\d+:/, '')] as const);
}

/** The emails have links with which anyone could take over accounts. */
function checkOutbox(config: Config): StartProblem | undefined {
  const risk = outboxRisk(config);
  if (risk === undefined) return undefined;
  const found = `without a mail server, a sandbox shows its emails on /outbox, and others could read them, because ${risk}`;
  return { subject: 'mail', found, todo: 'set SMTP_URL' };
}

/** Only its owner may open the folder, so the modes of the files in it don't matter. */
function checkDataFolder({ dataFolder }: Config): StartProblem | undefined {
  const folder = resolve(dataFolder);
  const mode = modeOf(folder);
  if ((mode & 0o077) === 0) return undefined;
  return {
    subject: 'data folder',
    found: `${folder} is open to other users of this machine (mode ${mode.toString(8)})`,
    todo: `chmod -R go= ${folder}; or choose another folder with DATA_DIR`,
  };
}

/** The embedded database works in the thread that answers calls, so that one account's reports delay those of all others. */
function checkEmbedded(config: Config): StartProblem | undefined {
  const reasons = reachableBecause(config);
  if (config.environment !== 'production' || config.databaseUrl !== undefined || reasons.length === 0) return undefined;
  const found = `the embedded database is for one machine, but others can reach this production: ${reasons.join(' and ')}`;
  return { subject: 'database', found, todo: 'set DATABASE_URL to a PostgreSQL database' };
}

/** Several processes share nothing but Redis and PostgreSQL: limits in memory would be counted by each alone. */
function checkWorkers({ workers, redisUrl, databaseUrl, simulators }: Config): StartProblem | undefined {
  const missing = [
    ...(redisUrl === undefined ? ['set REDIS_URL, because workers share tokens and limits'] : []),
    ...(databaseUrl === undefined ? ['set DATABASE_URL, because only one process can open the embedded database'] : []),
    ...(simulators.embedded
      ? ['set SIMULATORS_EMBEDDED=false and run "npm run simulators", because only one process can be a supplier']
      : []),
  ];
  if (workers === 1 || missing.length === 0) return undefined;
  return { subject: 'workers', found: `WORKERS is ${workers}`, todo: `${missing.join('; ')}; or set WORKERS=1` };
}

/** Headers of a collector are credentials in most cases. */
function checkTracing({ tracing: { endpoint, headers } }: Config): StartProblem | undefined {
  if (endpoint === undefined || Object.keys(otlpHeaders(headers) ?? {}).length === 0) return undefined;
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === 'https:' || isLoopback(hostname)) return undefined;
  const found = `OTEL_EXPORTER_OTLP_HEADERS would cross the network to ${hostname} unencrypted, with every export`;
  const todo = 'begin OTEL_EXPORTER_OTLP_ENDPOINT with https://, or send to a collector on this machine';
  return { subject: 'tracing', found, todo };
}

/** Calls are signed, but answers may hold secrets and renters' data. */
function checkAdmin({ admin: { host, port, tls } }: Config): StartProblem | undefined {
  if (port === undefined || tls !== undefined || isLoopback(host)) return undefined;
  const found = `its answers, which may hold secrets, cross the network unencrypted: admin.host is "${host}", without TLS`;
  const todo =
    'set ADMIN_TLS_CERT_FILE and ADMIN_TLS_KEY_FILE; or set ADMIN_HOST=127.0.0.1 and use a tunnel, or a proxy on this machine with TLS';
  return { subject: 'admin API', found, todo };
}

/** The permissions of a path; 0 if it doesn't exist or can't be reached, which its reader reports. */
function modeOf(path: string): number {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return 0;
  }
}
