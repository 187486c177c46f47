import { z } from 'zod';
import { environmentVariables } from './environment-variables.js';
import { secretIn } from './secret-file.js';

/** Its file is a setting of its own, because the gateway may generate it. */
const MASTER = 'FORECOURT_SECRET';

/**
 * The settings that environment variables override, or the files named by `<NAME>_FILE`. Adds a fault for each variable
 * whose text has another type than its setting, and for each file that can't be used; no fault quotes a secret.
 */
export function fromVariables(
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): Record<string, unknown> {
  let result: Record<string, unknown> = {};
  if (areBothSet(MASTER, env)) faults.push(`variables ${MASTER} and ${MASTER}_FILE: both are set; keep one`);
  for (const [name, { path, read, isSecret }] of Object.entries(environmentVariables)) {
    const text = isSecret ? secretOf(name, env, faults) : env[name];
    if (text === undefined || text === '') continue;
    const value = readText(text, read);
    if (value === undefined) faults.push(`variable ${name}: "${text}" is not a ${read}`);
    else
      result = mergeDeep(
        result,
        [...path].reverse().reduce<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>,
      );
  }
  return result;
}

/** The files that hold secrets in place of variables, whether or not they exist. */
export function secretFilesOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(environmentVariables).flatMap(([name, { isSecret }]) => {
    const file = isSecret ? (env[`${name}_FILE`] ?? '') : '';
    return file === '' ? [] : [file];
  });
}

/** The value of a variable, or of the file that `<NAME>_FILE` names. Undefined if neither is set, or with a fault. */
function secretOf(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  faults: string[],
): string | undefined {
  const file = env[`${name}_FILE`] ?? '';
  if (file === '') return env[name];
  if (areBothSet(name, env)) {
    faults.push(`variables ${name} and ${name}_FILE: both are set; keep one`);
    return undefined;
  }
  const { secret, why } = secretIn(file);
  if (secret === undefined) faults.push(`variable ${name}_FILE: the file ${file} ${why}`);
  return secret;
}

/** A variable without text is as good as none. */
function areBothSet(name: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return [name, `${name}_FILE`].every((each) => (env[each] ?? '') !== '');
}

function readText(text: string, kind: 'text' | 'number' | 'boolean' | 'list'): unknown {
  if (kind === 'text') return text;
  if (kind === 'list') return text.split(',').map((part) => part.trim());
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (['true', '1', 'on'].includes(text)) return true;
  return ['false', '0', 'off'].includes(text) ? false : undefined;
}

/** Merges the settings of `over` into those of `base`. Lists are replaced. */
export function mergeDeep(base: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const result = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const before = result[key];
    result[key] = isRecord(before) && isRecord(value) ? mergeDeep(before, value) : value;
  }
  return result;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The content of a settings file; empty if it is not a mapping. */
export function asRecord(value: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).catch({}).parse(value);
}
