import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { type Config, configSchema } from './config.schema.js';
import { isLoopback } from './loopback.js';
import { asRecord, fromVariables, mergeDeep, secretFilesOf } from './merge-settings.js';
import { withOwnTexts } from './own-texts.js';
import { type SupplierConfig, supplierConfigSchema } from './supplier-config.schema.js';
import { readCredentials, secretFilesOfSupplier } from './supplier-credentials.js';
import { faultOfUrl } from './supplier-url.js';

/** An invalid configuration. The message lists every fault with file, line, and key. Fatal at startup. */
export class ConfigError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The configuration is invalid:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: Config;
  /** Suppliers of this environment, in answer order (order, id). */
  readonly suppliers: readonly SupplierConfig[];
  /** Files with secrets that variables and the files of suppliers that may be called name, whether or not they exist. */
  readonly secretFiles: readonly string[];
  /** Reads the supplier files again with the same settings and variables. Throws ConfigError. */
  readSuppliers(): readonly SupplierConfig[];
}

/** The most bytes of a supplier's file; the shipped ones have less than a tenth. */
const MOST_BYTES = 100_000;

/** Source positions of blocks read from files: an adapter rejects its options later, and its author needs the line. */
const lineFinders = new WeakMap<SupplierConfig, (path: readonly PropertyKey[]) => number>();

/**
 * `suppliers/<id>.yaml:<line>` of a key, or of its nearest parent key. Without a line if the block was not read from a
 * file.
 */
export function placeOf(supplier: SupplierConfig, path: readonly PropertyKey[]): string {
  const line = lineFinders.get(supplier)?.(path);
  return `suppliers/${supplier.id}.yaml${line === undefined ? '' : `:${line}`}`;
}

/**
 * Reads `<folder>/default.yaml`, `<folder>/<environment>.yaml` and `<folder>/suppliers/*.yaml`, then the variables of
 * `env` (the only reader of process.env is its caller in main.ts and the CLI). `secretsOf`: ids of the suppliers whose
 * secrets must be present, by default all that aren't off; a command needs only those of the supplier that it calls.
 * Throws ConfigError with all faults.
 */
export function loadConfig(folder: string, env: Environment, secretsOf?: readonly string[]): LoadedConfig {
  const environment = env.FORECOURT_ENV ?? 'sandbox';
  const faults: string[] = [];
  let merged: Record<string, unknown> = { environment };
  for (const name of ['default.yaml', `${environment}.yaml`]) {
    const file = join(folder, name);
    if (existsSync(file))
      merged = mergeDeep(merged, asRecord(withOwnTexts(parseDocument(readFileSync(file, 'utf8')).toJS())));
  }
  merged.environment = environment;
  merged = mergeDeep(merged, fromVariables(env, faults));
  const parsed = configSchema.safeParse(merged);
  if (!parsed.success)
    faults.push(...parsed.error.issues.map((issue) => `setting ${issue.path.join('.') || '(root)'}: ${issue.message}`));
  const secretFiles = [...secretFilesOf(env)];
  const suppliers = loadSuppliers(join(folder, 'suppliers'), environment, { env, secretsOf }, faults, secretFiles);
  if (parsed.success) faults.push(...timeoutFaults(parsed.data, suppliers), ...productionFaults(parsed.data));
  if (!parsed.success || faults.length > 0) throw new ConfigError(faults);
  const config = parsed.data;
  return {
    config,
    suppliers,
    secretFiles,
    readSuppliers: () => readSuppliers(folder, config, { env, secretsOf }),
  };
}

/** Files in a folder with an extension, sorted by name. Skips dot files, which editors and systems create. */
function filesIn(folder: string, ending: '.yaml' | '.yml' | '.json'): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending) && !name.startsWith('.'))
    .sort();
}

function readSuppliers(folder: string, config: Config, secrets: Secrets): readonly SupplierConfig[] {
  // A folder that is being replaced is missing for a moment. That must not remove any supplier.
  if (!existsSync(join(folder, 'suppliers'))) throw new ConfigError(['suppliers/: the folder does not exist']);
  const faults: string[] = [];
  const suppliers = loadSuppliers(join(folder, 'suppliers'), config.environment, secrets, faults);
  faults.push(...timeoutFaults(config, suppliers));
  if (faults.length > 0) throw new ConfigError(faults);
  return suppliers;
}

/** Path of a fault: the unknown key itself, otherwise the path of the issue. */
export function faultyPath(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  const [unknown] = issue.code === 'unrecognized_keys' ? issue.keys : [];
  return unknown === undefined ? issue.path : [...issue.path, unknown];
}

/** The fault, worded for the author of the file. */
export function faultOf({ message }: z.core.$ZodIssue): string {
  return message.replace(/^Invalid input: expected (\w+), received undefined$/, 'is missing ($1)');
}

/** Where secrets come from, and whose must be present (see loadConfig). */
interface Secrets {
  readonly env: Environment;
  readonly secretsOf: readonly string[] | undefined;
}

/** The suppliers of `environment`. Files for other environments are validated, but their secrets are not required. */
function loadSuppliers(
  folder: string,
  environment: string,
  { env, secretsOf }: Secrets,
  faults: string[],
  secretFiles: string[] = [],
): SupplierConfig[] {
  if (!existsSync(folder)) return [];
  const suppliers: SupplierConfig[] = [];
  const schema = supplierConfigSchema.refine(
    (supplier) => supplier.url !== undefined || supplier.simulator !== undefined,
    {
      path: ['url'],
      message: 'is required without a simulator',
    },
  );
  for (const name of filesIn(folder, '.yml')) {
    faults.push(`suppliers/${name} is not read: rename it to ${name.replace(/yml$/, 'yaml')}`);
  }
  for (const name of filesIn(folder, '.yaml')) {
    const text = textOf(join(folder, name), `suppliers/${name}`, faults);
    if (text === undefined) continue;
    const lines = new LineCounter();
    const document = parseDocument(text, { lineCounter: lines });
    const placeIn = (path: readonly PropertyKey[]): string => `suppliers/${name}:${lineOf(path, document, lines)}`;
    if (document.errors.length > 0) {
      // Later errors mostly repeat the first one.
      const [first] = document.errors;
      faults.push(`suppliers/${name}:${first?.linePos?.[0].line ?? 1} ${first?.message.split('\n')[0]}`);
      continue;
    }
    const values = valuesOf(document, name, faults);
    if (values === undefined) continue;
    const parsed = schema.safeParse(values);
    if (!parsed.success) {
      for (const issue of parsed.error.issues)
        faults.push(`${placeIn(faultyPath(issue))} ${issue.path.join('.') || '(root)'}: ${faultOf(issue)}`);
      continue;
    }
    const { id, environments } = parsed.data;
    if (`${id}.yaml` !== name)
      faults.push(`${placeIn(['id'])} id: must be "${name.slice(0, -5)}", to match the file name`);
    if (!environments.some((served) => served === environment)) continue;
    const variable = `SUPPLIER_${id.toUpperCase()}_URL`;
    const url = env[variable] || parsed.data.url;
    const urlFault = url === undefined ? undefined : faultOfUrl(url, environment);
    if (urlFault !== undefined)
      faults.push(`${env[variable] ? `variable ${variable}` : `${placeIn(['url'])} url`}: ${urlFault}`);
    const recorded = recordingFaults(parsed.data, folder).map(
      ([key, fault]) => `${placeIn(['simulator', key])} simulator.${key}: ${fault}`,
    );
    // Production needs no recorded answers.
    if (environment === 'sandbox') faults.push(...recorded);
    // Production simulates nothing, whatever a file says.
    const found = { ...parsed.data, isSimulated: parsed.data.isSimulated && environment === 'sandbox' };
    secretFiles.push(...secretFilesOfSupplier(found));
    const supplier = {
      ...found,
      ...(url === undefined ? {} : { url }),
      credentials: readCredentials(
        found,
        { env, placeIn, isRequired: found.state !== 'off' && secretsOf?.includes(id) !== false },
        faults,
      ),
    };
    lineFinders.set(supplier, (path) => lineOf(path, document, lines));
    suppliers.push(supplier);
  }
  return suppliers.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1));
}

/** The content of a file of at most MOST_BYTES. Undefined, with a fault, if it cannot be read. */
function textOf(file: string, place: string, faults: string[]): string | undefined {
  try {
    // Reading a pipe or a device may never end, and the time to parse grows with the square of the length.
    const stats = statSync(file);
    if (stats.isFile() && stats.size <= MOST_BYTES) return readFileSync(file, 'utf8');
    faults.push(`${place} is ${stats.isFile() ? `longer than ${MOST_BYTES} bytes` : 'not a file'}`);
    return undefined;
  } catch (error) {
    faults.push(`${place} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    return undefined;
  }
}

/** The value of a document. Undefined, with a fault, if an alias cannot be resolved. */
function valuesOf(document: Document, name: string, faults: string[]): unknown {
  try {
    return withOwnTexts(document.toJS());
  } catch (error) {
    faults.push(`suppliers/${name} ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

/** Makes the folder of recorded answers absolute. Returns its faults by key. */
function recordingFaults(
  { id, adapter, simulator }: SupplierConfig,
  folder: string,
): readonly (readonly [key: string, fault: string])[] {
  if (simulator?.dialect !== 'recorded') return [];
  if (adapter !== 'rest') return [['dialect', 'recorded works only with manifests (adapter: rest)']];
  const answers = resolve(folder, simulator.answers ?? id);
  simulator.answers = answers;
  const shown = relative(join(folder, '..'), answers);
  if (!statSync(answers, { throwIfNoEntry: false })?.isDirectory())
    return [
      ['answers', `the folder ${shown} does not exist: put the recorded answers there, such as searchVehicles.json`],
    ];
  return filesIn(answers, '.json').flatMap((file) => {
    const fault = faultOfJson(join(answers, file));
    return fault === undefined ? [] : [['answers', `${join(shown, file)} is not valid JSON: ${fault}`] as const];
  });
}

function faultOfJson(file: string): string | undefined {
  try {
    JSON.parse(readFileSync(file, 'utf8'));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The line of a key, or of its nearest existing parent if the key is missing. */
function lineOf(path: readonly PropertyKey[], document: Document, lines: LineCounter): number {
  for (let depth = path.length; depth > 0; depth -= 1) {
    const above = path.slice(0, depth - 1).map(String);
    const parent = above.length === 0 ? document.contents : document.getIn(above, true);
    const name = String(path[depth - 1]);
    const named = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === name)?.key
      : undefined;
    const node = isSeq(parent) ? parent.items[Number(name)] : named;
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

/**
 * A supplier timeout must be shorter than the budget of its request, otherwise the configuration is rejected (ruling
 * 7). A reservation checks the price and then books or changes, all within its own budget.
 */
function timeoutFaults(config: Config, suppliers: readonly SupplierConfig[]): string[] {
  const budget = config.http.requestBudgetMs;
  const bookingBudget = config.reservations.budgetMs;
  const faults = suppliers.flatMap((supplier) => {
    const { timeoutMs } = supplier;
    const fault = (operation: keyof typeof timeoutMs, text: string): string =>
      `${placeOf(supplier, ['timeoutMs', operation])} timeoutMs.${operation}: ${timeoutMs[operation]} ${text}`;
    return [
      ...(['searchLocations', 'searchVehicles', 'priceCheck'] as const)
        .filter((operation) => timeoutMs[operation] + 100 > budget)
        .map((operation) => fault(operation, `must be at least 100 ms below http.requestBudgetMs (${budget})`)),
      ...(['book', 'modify', 'cancel', 'retrieve'] as const)
        .filter((operation) => timeoutMs.priceCheck + timeoutMs[operation] + 2_000 > bookingBudget)
        .map((operation) =>
          fault(
            operation,
            `and timeoutMs.priceCheck must together be at least 2000 ms below reservations.budgetMs (${bookingBudget})`,
          ),
        ),
    ];
  });
  if (config.search.timeoutMs.max + 100 > budget) {
    faults.push(
      `setting search.timeoutMs.max: ${config.search.timeoutMs.max} must be at least 100 ms below http.requestBudgetMs (${budget})`,
    );
  }
  return faults;
}

/** Production must never show a simulated car as a real one (spec §5.7), nor send secrets in clear. */
function productionFaults({ environment, simulators, alerts: { webhookUrl } }: Config): string[] {
  if (environment !== 'production') return [];
  const isClear = webhookUrl?.startsWith('http:') && !isLoopback(new URL(webhookUrl).hostname);
  return [
    ...(simulators.embedded ? ['setting simulators.embedded: not allowed in production'] : []),
    // It and its authorization would cross the network in clear.
    ...(isClear ? ['setting alerts.webhookUrl: must begin with https:// in production'] : []),
  ];
}
