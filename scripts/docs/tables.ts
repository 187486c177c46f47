import { z } from 'zod';
import { statusReport } from '../../src/incidents/status-report.schema.js';
import { WARNING_KINDS } from '../../src/model/warnings.js';
import { BEHAVIORS } from '../../src/portal/applications/certification/behaviors.js';
import { DIRECTIVES } from '../../src/sandbox/directive.js';
import { GATEWAY_FAULTS, MAGIC_PLACE_RULES } from '../../src/sandbox/scenario.js';
import { answerOf, requestText, statesText } from '../../src/sandbox/trigger-text.js';
import { BOOKING_TRIGGERS, REFUSAL_TRIGGERS, REQUEST_TRIGGERS, UNTRIGGERED } from '../../src/sandbox/triggers.js';
import { causes } from '../../src/status/causes.js';
import { ERROR_ROWS } from '../../src/status/error-rows.js';
import { outages } from '../../src/status/outages.js';
import { reasons } from '../../src/status/reasons.js';
import { CELLS, type Cell as ChaosCell, type Operation, PARTS, recoveryMs } from '../../test/proof-chaos/cells.js';
import { FAULTS, type FaultName } from '../../test/proof-chaos/fault-proxy.js';

type Cell = string | number | undefined;

interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

const causeRows = Object.entries(causes).map(([cause, row]) => ({ cause, ...row }));
const isFailure = ({ reason }: { readonly reason: string }) => reason === 'supplier_failure';

const faults = Object.keys(FAULTS) as FaultName[];
const inSeconds = (ms: number): string => `${ms / 1_000} s`;

/** The outcomes of one operation: a row per fault, a column per part. */
function chaosTable(operation: Operation): Table {
  const cell = (part: string, fault: string): string =>
    CELLS.filter((one) => one.operation === operation && one.part === part && one.fault === fault)
      .map(outcomeText)
      .join();
  return {
    heads: ['Fault', ...PARTS],
    rows: faults.map((fault) => [fault, ...PARTS.map((part) => cell(part, fault))]),
  };
}

function outcomeText({ answer, withinMs, aftermath }: ChaosCell): string {
  const text = `${answer}, ${inSeconds(withinMs)}`;
  if (!aftermath || answer.endsWith(aftermath.state)) return text;
  return aftermath.state === 'none' ? `${text}; nothing sent` : `${text}; then ${aftermath.state}`;
}

interface JsonSchema {
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
}

/** A row per member of an object: path, type, meaning. */
function memberRows({ properties = {} }: JsonSchema, prefix = ''): (readonly Cell[])[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const { items, anyOf = [] } = schema;
    const type = items ? `array of ${items.type}` : (schema.type ?? anyOf.map((one) => one.type).join(' or '));
    const words = [schema.enum?.map((word) => `\`${word}\``).join(', '), schema.description].filter(Boolean);
    const inner = items?.properties ? memberRows(items, `${prefix}${name}[].`) : [];
    return [[`\`${prefix}${name}\``, type, words.join('. ')], ...inner];
  });
}

/** The generated tables of the documentation, by the name in their marker. */
const TABLES: Readonly<Record<string, Table>> = {
  behaviors: {
    heads: ['Behavior', 'What the client must do', 'To show it', 'Result'],
    rows: BEHAVIORS.map(({ title, todo, occasion, judged }) => [title, todo, occasion, judged]),
  },
  errors: {
    heads: ['Code', 'reason', 'Meaning', 'Retry?', 'What to do'],
    rows: ERROR_ROWS.map(({ reason, meaning, retry, next }) => [reasons[reason].code, reason, meaning, retry, next]),
  },
  'status-report': {
    heads: ['Member', 'Type', 'Meaning'],
    rows: memberRows(z.toJSONSchema(statusReport) as JsonSchema),
  },
  'supplier-failures': {
    heads: ['cause', 'The supplier', 'What to do'],
    rows: causeRows.filter(isFailure).map(({ cause, did, next }) => [cause, did, next]),
  },
  'business-refusals': {
    heads: ['Code', 'reason', 'cause', 'The supplier', 'What to do'],
    rows: causeRows
      .filter((row) => !isFailure(row))
      .map(({ reason, cause, did, next }) => [reasons[reason].code, reason, cause, did, next]),
  },
  outages: {
    heads: ['cause', 'What is wrong', 'Retry-After', 'The operator'],
    rows: Object.entries(outages).map(([cause, { what, fix, retryAfterSeconds }]) => [
      cause,
      what,
      `${retryAfterSeconds} s`,
      fix,
    ]),
  },
  requests: {
    heads: ['Code', 'reason', 'cause', 'How'],
    rows: REQUEST_TRIGGERS.map((trigger) => [trigger.code, trigger.reason, trigger.cause, requestText(trigger)]),
  },
  bookings: {
    heads: ['Code', 'reason', 'cause', 'state', 'Place', 'Brand', 'X-Sandbox-Scenario'],
    rows: BOOKING_TRIGGERS.map(({ code, reason, cause, states, place, brand, scenario }) => [
      code,
      reason,
      cause,
      statesText(states),
      inCode(place),
      inCode(brand),
      inCode(scenario),
    ]),
  },
  refusals: {
    heads: ['Code', 'reason', 'cause', 'How', 'Place', 'Brand'],
    rows: REFUSAL_TRIGGERS.map((trigger) => {
      const { code, reason } = answerOf(trigger);
      const { cause, how, request } = trigger;
      return [code, reason, cause, how, inCode(request?.place), inCode(request?.brand)];
    }),
  },
  warnings: { heads: ['Kind', 'Meaning'], rows: Object.entries(WARNING_KINDS) },
  untriggered: { heads: ['cause', 'Why'], rows: Object.entries(UNTRIGGERED) },
  verbs: {
    heads: ['Verb', 'The supplier'],
    rows: DIRECTIVES.map(({ form, meaning }) => [inCode(form), meaning]),
  },
  faults: {
    heads: ['Part', 'reason'],
    rows: Object.entries(GATEWAY_FAULTS).map(([status, reason]) => [inCode(`fault=${status}`), reason]),
  },
  'chaos-faults': { heads: ['Fault', 'What happens'], rows: faults.map((fault) => [fault, FAULTS[fault].does]) },
  'chaos-token': chaosTable('token'),
  'chaos-search': chaosTable('search'),
  'chaos-book': chaosTable('book'),
  'chaos-recovery': {
    heads: ['Fault', ...PARTS],
    rows: faults.map((fault) => [fault, ...PARTS.map((part) => inSeconds(recoveryMs({ part, fault })))]),
  },
  'magic-places': {
    heads: ['Place', 'Result'],
    rows: Object.entries(MAGIC_PLACE_RULES).map(([place, { meaning }]) => [inCode(place), meaning]),
  },
};

const MARKED = /(<!-- table:([\w-]+) -->\n)[\s\S]*?(<!-- \/table -->)/g;

/**
 * Regenerates each table between the markers `<!-- table:name -->` and `<!-- /table -->`. Throws for an unknown name.
 */
export function withTables(markdown: string): string {
  return markdown.replace(MARKED, (_old, begin: string, name: string, end: string) => {
    const table = TABLES[name];
    if (!table) throw new Error(`there is no table ${name}; the tables are ${Object.keys(TABLES).join(', ')}`);
    return `${begin}\n${markdownTable(table)}\n${end}`;
  });
}

/** The markdown without the table of this name. Throws if it has none. */
export function withoutTable(markdown: string, name: string): string {
  const less = markdown.replace(MARKED, (all, _begin: string, found: string) => (found === name ? '' : all));
  if (less === markdown) throw new Error(`there is no table ${name} to leave out`);
  return less;
}

/** Names of the tables that are in none of `files`. */
export function tablesMissing(files: readonly string[]): readonly string[] {
  return Object.keys(TABLES).filter((name) => !files.some((markdown) => markdown.includes(`<!-- table:${name} -->`)));
}

function inCode(text: string | undefined): string {
  return text === undefined ? '' : `\`${text}\``;
}

function markdownTable({ heads, rows }: Table): string {
  const line = (cells: readonly Cell[]) =>
    `|${cells.map((cell) => (cell === undefined || cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`;
  return [line(heads), `|${'---|'.repeat(heads.length)}\n`, ...rows.map(line)].join('');
}
