import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorRule } from '../../adapters/rest/error-rules.js';
import { ruleFor } from '../../adapters/rest/error-rules.js';
import { Evaluation } from '../../adapters/rest/expression.js';
import type { Manifest } from '../../adapters/rest/manifest.schema.js';
import type { SimulatedAnswer } from '../world.js';
import type { CallName, ManifestCall } from './calls.js';
import { exampleOf, withValues } from './inverse.js';

/** The recorded answer to a call, `<folder>/<name>.json`; undefined where there is none. Throws an Error for one that is no JSON. */
export function recordingOf(folder: string, name: CallName): unknown {
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) throw new Error(`${file} is no JSON: ${error.message}`);
    throw error;
  }
}

/** An answer as JSON. */
export function sent(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/**
 * An answer that the manifest reads as what is meant, made from its own rules: the first rule of that meaning whose condition can be turned
 * round and which no rule before it takes for its own. Undefined where there is none.
 */
export function answerMeaning(
  manifest: Manifest,
  { errors }: Pick<ManifestCall, 'errors'>,
  is: (rule: ErrorRule) => boolean,
): SimulatedAnswer | undefined {
  const rules = [...errors, ...manifest.errors];
  for (const rule of rules.filter(is)) {
    const example = rule.when ? exampleOf(rule.when) : [];
    if (!example) continue;
    const body = withValues({}, example);
    const status = statusOf(rule);
    const headers = rule.header ? { [rule.header.name]: rule.header.equals } : {};
    const read = ruleFor(
      rules,
      { status, headers, body: Buffer.alloc(0) },
      body,
      new Evaluation({ answer: body, request: {} }),
    );
    if (read && is(read)) return sent(body, status, headers);
  }
  return undefined;
}

function statusOf({ status }: ErrorRule): number {
  const [first = 400] = Array.isArray(status) ? status : [status];
  return typeof first === 'number' ? first : Number(first[0]) * 100;
}
