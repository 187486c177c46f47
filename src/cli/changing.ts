import type { Command } from 'commander';

/** The options of every command that changes something. */
export interface ChangeOptions {
  readonly reason?: string;
  readonly json?: boolean;
}

const commands = new WeakSet<Command>();

/**
 * Marks a command that is recorded in the audit log, and gives it `--json` and `--reason`. `reason` is `own` for a command
 * that defines that option itself.
 */
export function changing(command: Command, reason: 'own' | 'added' = 'added'): Command {
  commands.add(command);
  command.option('--json', 'print the result and what was recorded in the audit log as JSON');
  return reason === 'own' ? command : command.option('--reason <text>', 'why; recorded in the audit log');
}

/** The options of a command that changes something; none of another command. */
export function changeOptions(command: Command): ChangeOptions {
  return commands.has(command) ? command.opts<ChangeOptions>() : {};
}
