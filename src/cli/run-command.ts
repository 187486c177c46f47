import { Command, CommanderError } from 'commander';
import { rootOf } from '../config/plain-error.js';
import { type RecordedChange, withOrigin } from '../database/audit-origin.js';
import { holdsCardNumber } from '../privacy/card-numbers.js';
import { type ChangeOptions, changeOptions } from './changing.js';
import type { AddCommands, CommandRun } from './command-run.js';

const applications = async (): Promise<AddCommands> =>
  (await import('./application-commands.js')).addApplicationCommands;

/** Loaders of the commands that operators run on a gateway's data. A running gateway runs them itself. */
const OPERATOR_COMMANDS = {
  accounts: async () => (await import('./account-commands.js')).addAccountCommands,
  apps: applications,
  keys: applications,
  'admin-keys': async () => (await import('./admin-key-commands.js')).addAdminKeyCommands,
  audit: async () => (await import('./audit-commands.js')).addAuditCommands,
  'access-requests': async () => (await import('./access-request-commands.js')).addAccessRequestCommands,
  clock: async () => (await import('./clock-commands.js')).addClockCommands,
  certify: async () => (await import('./certify-command.js')).addCertifyCommand,
  health: async () => (await import('./health-command.js')).addHealthCommand,
  incident: async () => (await import('./incident-command.js')).addIncidentCommand,
  maintenance: async () => (await import('./maintenance-commands.js')).addMaintenanceCommands,
  products: async () => (await import('./product-commands.js')).addProductCommands,
  reservation: async () => (await import('./reservation-commands.js')).addReservationCommands,
  secrets: applications,
  switch: async () => (await import('./switch-command.js')).addSwitchCommand,
  supplier: async () => (await import('./supplier-commands.js')).addSupplierCommands,
  webhooks: async () => (await import('./webhook-commands.js')).addWebhookCommands,
} satisfies Record<string, () => Promise<AddCommands>>;

/** Loaders of the commands that always run in their own process. */
const LOCAL_COMMANDS = {
  adapter: async () => (await import('./adapter-commands.js')).addAdapterCommands,
  doctor: async () => (await import('./doctor.js')).addDoctorCommand,
  migrate: async () => (await import('./migrate-commands.js')).addMigrateCommands,
  sim: async () => (await import('./sim-serve.js')).addSimCommand,
} satisfies Record<string, () => Promise<AddCommands>>;

/** Loaders by command. Only the called command is loaded; for help, all of them are. */
const commands = new Map<string, () => Promise<AddCommands>>(
  Object.entries({ ...OPERATOR_COMMANDS, ...LOCAL_COMMANDS }).sort(([one], [other]) => (one < other ? -1 : 1)),
);

/** Whether a command runs in a running gateway, if there is one. */
export function isOperatorCommand(word: string | undefined): boolean {
  return word !== undefined && Object.hasOwn(OPERATOR_COMMANDS, word);
}

/** Adds the command of this word; without one, all commands. */
export async function addCommands(gw: Command, run: CommandRun, word = ''): Promise<void> {
  const called = commands.get(word);
  for (const load of called ? [called] : new Set(commands.values())) (await load())(gw, run);
}

/**
 * Runs the command of these words and resolves with its exit code: 0 success, 1 failed check or verdict (the command said
 * so by `fail`), 2 error, after its message. Never rejects.
 */
export async function runCommand(words: readonly string[], run: CommandRun): Promise<number> {
  let isFailed = false;
  let options: ChangeOptions = {};
  const printed: string[] = [];
  const recorded: RecordedChange[] = [];
  const own: CommandRun = {
    ...run,
    print: (line) => (options.json ? printed.push(line) : run.print(line)),
    gateway: (work) =>
      run.gateway((gateway) => {
        const { reason } = options;
        const origin = { channel: 'command', agent: run.user, ...run.origin, reason, recorded } as const;
        return withOrigin(origin, () => work(gateway));
      }),
    fail: () => {
      isFailed = true;
      run.fail();
    },
  };
  const gw = new Command('gw')
    .description('Forecourt command line')
    .addHelpText(
      'after',
      '\nAfter --remote <url> --key-file <file>, a gateway on another machine runs the command (docs/admin-api.md).',
    )
    .showHelpAfterError()
    .exitOverride()
    .hook('preAction', (_gw, command) => {
      options = changeOptions(command);
    })
    .configureOutput({
      writeOut: (text) => run.print(text.replace(/\n$/, '')),
      writeErr: (text) => run.tell(text.replace(/\n$/, '')),
    });
  try {
    if (words.some(holdsCardNumber))
      throw new Error('an argument looks like a payment card number; no command takes one');
    await addCommands(gw, own, words[0]);
    await gw.parseAsync(words, { from: 'user' });
    if (options.json) run.print(JSON.stringify({ result: resultOf(printed), changes: recorded }, null, 2));
    return isFailed ? 1 : 0;
  } catch (error) {
    // Commander has already printed the message, but would exit with 1.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    run.failed?.(error);
    run.tell(error instanceof Error ? rootOf(error).message : String(error));
    return 2;
  }
}

/** What a command printed: JSON as it is, otherwise the lines. */
export function resultOf(lines: readonly string[]): unknown {
  try {
    return JSON.parse(lines.join('\n')) as unknown;
  } catch {
    return lines;
  }
}
