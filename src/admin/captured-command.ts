import type { CommandRun, OpenedGateway } from '../cli/command-run.js';
import { resultOf, runCommand } from '../cli/run-command.js';
import { SessionRevokedError, TooManyChangesError } from '../database/actor.js';
import { ApiError } from '../status/api-error.js';
import { translateError } from '../system/translate-error.js';

const MOST_OUTPUT = 33_554_432;
/** Errors of the program, not of what it was asked for. */
const FAULTS: readonly string[] = ['TypeError', 'RangeError', 'ReferenceError', 'SyntaxError', 'ZodError'];

/** What a command printed. */
export interface CommandResult {
  /** Its JSON. */
  readonly result: unknown;
  readonly notices: readonly string[];
  /** What it recorded in the audit log; empty for a command that only reads. */
  readonly changes: readonly Readonly<Record<string, unknown>>[];
}

interface Change {
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly subjectKind: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
}

/**
 * Runs a command of `gw` with `--json` in its words, and returns what it printed. Throws ApiError for what it refuses
 * (400, 404) and for a dependency that is unavailable (503), and the command's error for a fault of the program and for a person who may not
 * change anything (changeBy).
 */
export async function capturedCommand(
  words: readonly string[],
  gateway: OpenedGateway,
  { user, origin }: Pick<CommandRun, 'user' | 'origin'>,
): Promise<CommandResult> {
  const [printed, notices]: [string[], string[]] = [[], []];
  let size = 0;
  let failure: unknown;
  const code = await runCommand(words, {
    user,
    ...(origin ? { origin } : {}),
    workingFolder: process.cwd(),
    print: (line) => {
      size += line.length;
      if (size <= MOST_OUTPUT) printed.push(line);
    },
    tell: (line) => void notices.push(line),
    write: async () => {
      throw new Error('this command writes a stream: call /admin/v1/commands');
    },
    confirm: async () => {
      throw new Error('confirmation needs a person');
    },
    fail: () => undefined,
    failed: (error) => {
      failure = error;
    },
    gateway: (work) => work(gateway),
  });
  if (code === 2) throw refusal(failure, notices);
  const answer = resultOf(printed);
  if (!isRecorded(answer)) return { result: answer, notices, changes: [] };
  const changes = answer.changes.map(({ subjectKind, ...change }) => ({ ...change, subject_kind: subjectKind }));
  return { result: answer.result, notices, changes };
}

/**
 * What a command that asks before it changes something says then: its effects, without carrying it out. [] for one that
 * doesn't ask. Throws ApiError for what it refuses.
 */
export async function commandEffects(
  words: readonly string[],
  gateway: OpenedGateway,
  { user, origin }: Pick<CommandRun, 'user' | 'origin'>,
): Promise<readonly string[]> {
  // After `--`, it is an argument that a person typed.
  const options = words.indexOf('--');
  const asking = words.filter((word, at) => word !== '--yes' || (options !== -1 && at > options));
  if (asking.length === words.length) return [];
  const told: string[] = [];
  let isAsked = false;
  let failure: unknown;
  await runCommand(asking, {
    user,
    ...(origin ? { origin } : {}),
    workingFolder: process.cwd(),
    print: () => undefined,
    tell: (line) => void (isAsked || told.push(line)),
    write: async () => undefined,
    confirm: async (question) => {
      if (question !== 'Continue?') told.push(question);
      isAsked = true;
      return false;
    },
    fail: () => undefined,
    failed: (error) => {
      failure = error;
    },
    gateway: (work) => work(gateway),
  });
  if (!isAsked) throw refusal(failure, told);
  return told;
}

function isRecorded(answer: unknown): answer is { readonly result: unknown; readonly changes: readonly Change[] } {
  return typeof answer === 'object' && answer !== null && 'result' in answer && 'changes' in answer;
}

/** Why a command was refused, in the words of the API: options become fields. */
function refusal(error: unknown, notices: readonly string[]): unknown {
  const known = error instanceof ApiError ? error : translateError(error);
  if (known || error instanceof SessionRevokedError || error instanceof TooManyChangesError) return known ?? error;
  if (error instanceof Error && (FAULTS.includes(error.name) || 'code' in error)) return error;
  const told = error instanceof Error ? error.message : (notices.at(-1) ?? '');
  const text = told.replace(/^error: /, '').replaceAll(/--([a-z]+(?:-[a-z]+)*)/g, (_, name: string) => fieldOf(name));
  const details = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
  const isMissing = /^(there is no|no account found|this request does not exist)/i.test(text);
  const field = /^--([a-z-]+)/.exec(told)?.[1];
  return ApiError.of(
    isMissing ? 'resource_failure' : 'invalid_request',
    details,
    field === undefined ? {} : { field: fieldOf(field) },
  );
}

function fieldOf(option: string): string {
  return option.replaceAll('-', '_');
}
