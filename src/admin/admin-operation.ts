import { z } from 'zod';
import type { OpenedGateway } from '../cli/command-run.js';
import type { CommandResult } from './captured-command.js';

/** What an operation works with. */
export interface AdminCall {
  readonly gateway: OpenedGateway;
  /** Variable parts of the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Runs a command of `gw` with the origin of this call. Throws ApiError for what it refuses. */
  command(words: readonly string[]): Promise<CommandResult>;
}

/** One operation of the admin API: a route, its description, and what it does. */
export interface AdminOperation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** After `/admin/v1`; `{name}` is a variable part. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** The members of the answer besides `status`; `ndjson` for a stream of lines. */
  readonly answer: z.ZodObject | 'ndjson';
  /** The words of the command that does the same. */
  readonly command: string;
  /** Only operators on their pages may do it: it makes an account an operator, and a key could outlast its revocation that way. */
  readonly isOnlyOnPages?: boolean;
  /** The members of the answer, or the lines of the stream. */
  run(call: AdminCall): Promise<Readonly<Record<string, unknown>> | AsyncIterable<string>>;
}

type Values = Readonly<Record<string, unknown>>;
/** What is added to the words of a command: options by name without `--` (undefined = not given), then its arguments. */
interface Arguments {
  readonly options?: Readonly<Record<string, string | true | undefined>>;
  readonly args?: readonly string[];
}
type Describes = Pick<AdminOperation, 'id' | 'path' | 'tag' | 'summary' | 'command' | 'isOnlyOnPages'>;

/** Why a change is made, for the audit log; some commands show it to callers or developers. */
const reason = z
  .string()
  .regex(/^[\x20-\x7e\u00a0-\uffff]{3,200}$/, { error: 'must be 3 to 200 printable characters.' })
  .describe('Why; recorded in the audit log.');

/** Commands that record nothing in the audit log: they don't change settings. */
const REASONLESS: readonly string[] = ['webhooks test', 'webhooks replay'];

const change = z.strictObject({
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  subject_kind: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  reason: z.string().nullable(),
});

/** The answer to a change: what the command printed, what it said besides, and what the audit log has. */
export const changeAnswer = z.strictObject({
  result: z.unknown().describe('What the command printed: its JSON, or its lines.'),
  notices: z.array(z.string()).describe('What the command said besides.'),
  changes: z.array(change).describe('What was recorded in the audit log.'),
});

/** An operation that changes something by a command; `reason` is added to its body. */
export function changes<S extends z.ZodRawShape>(
  described: Describes & { readonly method: 'POST' | 'PUT' },
  shape: S,
  words: (
    body: z.output<z.ZodObject<S>>,
    params: Readonly<Record<string, string>>,
  ) => Arguments & { readonly command?: string },
): AdminOperation {
  return {
    ...described,
    body: REASONLESS.includes(described.command) ? z.strictObject(shape) : z.strictObject({ ...shape, reason }),
    answer: changeAnswer,
    run: async ({ body, params, command }) => {
      const given = words(body as z.output<z.ZodObject<S>>, params);
      const why = REASONLESS.includes(described.command) ? {} : { reason: String(body.reason) };
      const {
        result,
        notices,
        changes: recorded,
      } = await command(
        wordsOf(given.command ?? described.command, { ...given, options: { ...given.options, ...why } }),
      );
      return { result, notices, changes: recorded };
    },
  };
}

/** An operation that reads something without a command. `Q` describes its query. */
export function reads<Q extends z.ZodObject>(
  described: Describes,
  query: Q,
  answer: AdminOperation['answer'],
  run: (call: AdminCall, query: z.output<Q>) => ReturnType<AdminOperation['run']>,
): AdminOperation {
  return { ...described, method: 'GET', query, answer, run: (call) => run(call, call.query as z.output<Q>) };
}

/** An operation that lists what a command prints with `--json`. The list is short by itself. */
export function lists<S extends z.ZodRawShape>(
  described: Describes,
  item: S,
  words: (params: Readonly<Record<string, string>>, query: Values) => Arguments = () => ({}),
  query?: z.ZodObject,
): AdminOperation {
  return {
    ...described,
    method: 'GET',
    ...(query ? { query } : {}),
    answer: z.strictObject({ items: z.array(z.strictObject(item)) }),
    run: async ({ params, query: given, command }) => ({
      items: (await command(wordsOf(described.command, words(params, given)))).result,
    }),
  };
}

/** Words of a command, which has `--json`. Arguments follow `--`, so that none is read as an option. */
export function wordsOf(command: string, { options = {}, args = [] }: Arguments): readonly string[] {
  const given = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [value === true ? `--${name}` : `--${name}=${value}`],
  );
  return [...command.split(' '), ...given, '--json', '--', ...args];
}
