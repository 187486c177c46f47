import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { Config } from './config.schema.js';
import { environmentVariables } from './environment-variables.js';

/** A setting, the source of its value, and the value with secrets masked. */
export interface Setting {
  /** Dotted: `http.port`. */
  readonly name: string;
  /** Secrets are masked; undefined = not set. */
  readonly value: unknown;
  /** `default`, `<file>:<line>`, or `variable <NAME>`. */
  readonly source: string;
}

/** The URL of a webhook often has a secret in its path. */
const SECRETS = new Set([
  'secret',
  'otherSecret',
  'personalDataKeys',
  'secretKeys',
  'tracing.headers',
  'alerts.webhookUrl',
  'alerts.webhookAuthorization',
]);
const URLS = new Set(['redisUrl', 'databaseUrl', 'databaseDirectUrl', 'mail.smtpUrl', 'exchangeRates.url']);

/**
 * Every setting of a configuration that `loadConfig` has read from the same folder and variables, in the order of the
 * schema.
 */
export function settingsOf(
  config: Config,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Setting[] {
  const variables = new Map<string, string>([
    ['environment', 'FORECOURT_ENV'],
    ...Object.entries(environmentVariables).map(([variable, { path }]) => [path.join('.'), variable] as const),
  ]);
  const lineOf = linesIn(folder, ['default.yaml', `${config.environment}.yaml`]);
  const values = new Map(leavesOf(config));
  for (const name of variables.keys()) if (!values.has(name)) values.set(name, undefined);
  return [...values].map(([name, value]) => {
    const variable = variables.get(name);
    const given = variable === undefined ? undefined : variablesFor(variable).find((each) => (env[each] ?? '') !== '');
    return { name, value: shown(name, value), source: given ? `variable ${given}` : (lineOf(name) ?? 'default') };
  });
}

/** The variables that set what `name` sets: a secret may also be in a file. */
function variablesFor(name: string): readonly string[] {
  return environmentVariables[name]?.isSecret ? [name, `${name}_FILE`] : [name];
}

/**
 * A URL with user information and query masked; it may list several hosts. Text that is not a URL is masked completely.
 */
export function withoutPassword(url: string): string {
  const [, start, hosts, end] = /^([^/]+:\/\/(?:[^/?#]*@)?)([\w.:[\]-]+(?:,[\w.:[\]-]+)+)([/?#].*)?$/.exec(url) ?? [];
  if (hosts !== undefined) return withoutPassword(`${start}hosts${end ?? ''}`).replace('hosts', hosts);
  if (!URL.canParse(url)) return '***';
  const { protocol, username, password, host, pathname, search } = new URL(url);
  const user = password === '' ? username : `${username}:***`;
  return `${protocol}//${user === '' ? '' : `${user}@`}${host}${pathname}${search === '' ? '' : '?***'}`;
}

function shown(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (SECRETS.has(name)) return value === '' ? value : '***';
  return URLS.has(name) ? withoutPassword(value) : value;
}

/** Dotted name and value of every leaf. A list is one value. */
function leavesOf(value: object, prefix = ''): [name: string, value: unknown][] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? leavesOf(inner, `${prefix}${key}.`)
      : [[`${prefix}${key}`, inner] as [string, unknown]],
  );
}

/** Returns the file and line that set a name. The later file wins. */
function linesIn(folder: string, files: readonly string[]): (name: string) => string | undefined {
  const documents = files
    .filter((file) => existsSync(join(folder, file)))
    .map((file) => {
      const lines = new LineCounter();
      return { file, lines, document: parseDocument(readFileSync(join(folder, file), 'utf8'), { lineCounter: lines }) };
    })
    .reverse();
  return (name) => {
    for (const { file, lines, document } of documents) {
      const node = document.getIn(name.split('.'), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return `${file}:${lines.linePos(node.range[0]).line}`;
    }
    return undefined;
  };
}
