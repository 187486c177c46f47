import type { Command } from 'commander';
import { OUTCOMES, type Outcome, TestClocks } from '../auth/test-clocks.js';
import type { OperatorRead } from '../database/operator-reads.js';
import { ReservationRepository } from '../reservations/reservation.repository.js';
import { TestClockService } from '../reservations/test-clock.service.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { endTime } from './end-time.js';
import { mustBeInSandbox } from './sandbox-application.js';

const ACTOR = 'ops';

/** Adds `gw clock …`, with which operators see and move the test clocks of sandbox applications (decision 0087). */
export function addClockCommands(gw: Command, run: CommandRun): void {
  const clock = gw.command('clock').description('see and move the test clocks of sandbox applications');

  clock
    .command('show <application>')
    .description("show an application's time, how far it is ahead of real time, and its outcome")
    .option('--json', 'print them as JSON')
    .action((id: string, { json }: { json?: boolean }) =>
      run.gateway(async (gateway) => {
        const service = await opened(gateway, id);
        run.print(json ? JSON.stringify(service.view(id), null, 2) : textOf(service, id));
      }),
    );

  changing(clock.command('move <application>'))
    .description(
      'move the clock of an application forward, or set only its outcome; what is due happens within seconds',
    )
    .option('--to <time>', 'UTC time (ISO 8601), at most two years ahead of real time')
    .option('--outcome <outcome>', `what becomes of confirmed reservations: ${OUTCOMES.join(' | ')}; default: as it is`)
    .action((id: string, { to, outcome }: { to?: string; outcome?: string }) =>
      run.gateway(async (gateway) => {
        if (to === undefined && outcome === undefined) throw new Error('give --to, --outcome, or both');
        const service = await opened(gateway, id);
        const change = {
          to: endTime(to, '--to')?.getTime(),
          outcome: outcomeFrom(outcome ?? service.view(id).outcome),
        };
        await service.set(id, change, ACTOR);
        run.print(textOf(service, id));
      }),
    );

  changing(clock.command('reset <application>'))
    .description('return an application to real time; what happened by its clock stays')
    .action((id: string) =>
      run.gateway(async (gateway) => {
        const service = await opened(gateway, id);
        await service.reset(id, ACTOR);
        run.print(`${id}: real time`);
      }),
    );
}

/** Works on the clocks as they are now. Throws an Error if the sandbox has no such application. */
async function opened({ database, config, keys }: OpenedGateway, id: string): Promise<TestClockService> {
  if (config.environment !== 'sandbox') throw new Error('production has no test clocks');
  await mustBeInSandbox(database, id);
  const reads: OperatorRead<never>[] = [];
  const refresh = async (): Promise<void> => {
    for (const { statement, apply } of reads) apply((await database.rows(statement)) as never[]);
  };
  const add = (read: OperatorRead<never>): unknown => reads.push(read);
  const clocks = new TestClocks(database, { add, refresh }, config);
  await refresh();
  return new TestClockService(clocks, new ReservationRepository(database, config, keys));
}

function textOf(service: TestClockService, id: string): string {
  const { now, ahead_seconds: ahead, outcome } = service.view(id);
  return `${id}: ${now}, ${ahead === 0 ? 'real time' : `${ahead} s ahead of real time`}, ${outcome}`;
}

function outcomeFrom(text: string): Outcome {
  const outcome = OUTCOMES.find((one) => one === text);
  if (!outcome) throw new Error(`--outcome must be ${OUTCOMES.join(' or ')}`);
  return outcome;
}
