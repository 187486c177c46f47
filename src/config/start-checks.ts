import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config.schema.js';
import { isGuessable } from './guessable.js';
import { ConfigError } from './load-config.js';
import { isLoopback } from './loopback.js';
import { knownSecret, secretFileOf } from './master-secret.js';
import { outboxRisk } from './outbox-rules.js';

/** Why the gateway must not start with a configuration, and how to fix that. */
export interface StartProblem {
  /** As in the report of `gw doctor`. */
  readonly subject: string;
  readonly found: string;
  readonly todo: string;
}

/** A check returns undefined if it finds nothing. It reads the settings and the data folder, and changes nothing. */
type StartCheck = (config: Config) => StartProblem | undefined;

/** Every check, in the order of the report. Settings that are wrong by themselves are in load-config.ts. */
const CHECKS: readonly StartCheck[] = [checkSecrets, checkOutbox, checkDataFolder];

/**
 * What makes a configuration unsafe: the gateway doesn't start with it, and `gw doctor` reports it. Empty = nothing.
 */
export function startProblems(config: Config): readonly StartProblem[] {
  return CHECKS.flatMap((check) => check(config) ?? []);
}

/** Throws ConfigError with everything that `startProblems` finds. */
export function refuseUnsafeStart(config: Config): void {
  const problems = startProblems(config);
  if (problems.length === 0) return;
  throw new ConfigError(problems.map(({ subject, found, todo }) => `${subject}: ${found}. To fix: ${todo}`));
}

/**
 * Whether anyone but the people on this machine may use the gateway: in production, or if it listens on other addresses
 * than loopback ones, or if a public address leads to it.
 */
export function isReachable({ environment, http, metrics }: Config): boolean {
  const { publicUrl } = http;
  const hosts = [http.host, metrics.host, publicUrl !== undefined && hostOf(publicUrl)];
  return environment === 'production' || hosts.some((host) => host !== false && !isLoopback(host));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}

/** Offer ids, demo credentials and stored client secrets could be computed from a known secret. */
function checkSecrets(config: Config): StartProblem | undefined {
  if (!isReachable(config)) return undefined;
  const from = config.secret === undefined ? secretFileOf(config) : 'FORECOURT_SECRET';
  const secrets: readonly (readonly [name: string, secret: string | undefined])[] = [
    [from, knownSecret(config)],
    ...keysOf('PERSONAL_DATA_KEYS', config.personalDataKeys),
    ...keysOf('CLIENT_SECRET_KEYS', config.secretKeys),
  ];
  const weak = secrets.find(([, secret]) => secret !== undefined && isGuessable(secret));
  if (!weak) return undefined;
  const where = config.environment === 'production' ? 'in production' : 'where other machines can reach the gateway';
  return {
    subject: 'secret',
    found: `${weak[0]} is a published value or easy to guess, which isn't allowed ${where}`,
    todo: 'generate it: openssl rand -base64 32',
  };
}

/** The keys of a setting `<version>:<key>,…`, each with the name of its variable. */
function keysOf(variable: string, setting: string | undefined): (readonly [name: string, secret: string])[] {
  return (setting?.split(',') ?? []).map((key) => [variable, key.trim().replace(/^\d+:/, '')] as const);
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
  const mode = (statSync(folder, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return {
    subject: 'data folder',
    found: `${folder} is open to other users of this machine (mode ${mode.toString(8)})`,
    todo: `chmod -R go= ${folder}; or choose another folder with DATA_DIR`,
  };
}
