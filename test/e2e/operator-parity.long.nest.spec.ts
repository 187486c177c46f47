import { Command } from 'commander';
import { sql } from 'drizzle-orm';
import { adminOperations } from '../../src/admin/operations.js';
import { WITHOUT_PAGE } from '../../src/admin/page-operations.js';
import type { CommandRun } from '../../src/cli/command-run.js';
import { addCommands, isOperatorCommand } from '../../src/cli/run-command.js';
import type { OperationValues } from '../../src/system/operator-operations.js';
import { callsOnPages, OPERATOR, operatedGateway, UNRECORDED } from '../support/operated-gateway.js';
import { OPERATOR_CHANGES, OPERATOR_READS, PLAN, REASON } from '../support/operator-calls.js';
import { changedUnrecorded } from '../support/unrecorded.js';

/** Why a command has neither an operation of the admin API of its own nor a page. `gw --remote` runs all of them. */
const COMMANDS_ONLY: Readonly<Record<string, string>> = {
  'accounts export': 'a stream for a person, of a command that runs rarely',
  'admin-keys create': 'only on the machine of a gateway: a key could outlast its revocation',
  certify: 'the page of the application and of its access request shows the same',
  'keys rotate': 'maintenance of the database, minutes long, with progress',
  'products describe': 'prints the description of this build, which is at /openapi.json',
  'reservation reseal': 'maintenance of the database, minutes long, with progress',
  'secrets show': 'shows secrets to a person; their owner sees them on the pages of the application',
};
/** Operations of the admin API that no command does: its lists of failed exchanges. */
const WITHOUT_COMMAND = ['listFailedExchanges', 'getFailedExchange'];
const { database, ids, pagesOf, formOf, changeOf, events } = operatedGateway();
/** Tables that a command writes before the change: the products of the configuration are stored first. */
const STORED_BEFORE: Readonly<Record<string, readonly string[]>> = {
  createApplication: ['product_versions', 'products'],
};

it('everything that operators can do is a command, a call of the admin API, and a page, or has a reason not to be', async () => {
  const program = new Command('gw');
  await addCommands(program, {} as CommandRun);
  const commands = program.commands
    .filter((one) => isOperatorCommand(one.name()))
    .flatMap((one) =>
      one.commands.length === 0 ? [one.name()] : one.commands.map((sub) => `${one.name()} ${sub.name()}`),
    );
  expect(commands.length).toBeGreaterThan(60);
  const reached = adminOperations.map(({ command }) => command);
  expect(commands.filter((command) => !reached.includes(command)).sort()).toEqual(Object.keys(COMMANDS_ONLY).sort());
  const commandless = adminOperations.filter(({ command }) => !commands.includes(command));
  expect(commandless.map(({ id }) => id)).toEqual(WITHOUT_COMMAND);
  const onPages = pagesOf('sandbox').all();
  const pageless = adminOperations.filter(({ id }) => !onPages.some((one) => one.id === id)).map(({ id }) => id);
  expect(pageless.sort()).toEqual(Object.keys(WITHOUT_PAGE).sort());
});

it.each(callsOnPages(OPERATOR_READS))(
  '$id: $path is read from a page and changes nothing',
  async ({ id, path, body }) => {
    const count = (await events()).length;
    const found = await pagesOf('sandbox').run(id, formOf(id, path, body), OPERATOR);
    expect(Object.keys(found).length).toBeGreaterThan(0);
    expect((await events()).length).toBe(count);
  },
);

it.each(callsOnPages(OPERATOR_CHANGES))(
  '$id: $path is previewed, not made if it cannot be recorded, then recorded as a change of the operator on the page',
  async ({ id, path, body, environment }) => {
    const pages = pagesOf(environment);
    const recorded = !UNRECORDED.includes(id);
    const values = await changeOf(id, path, body, REASON);
    const before = (await events()).length;
    await pages.preview(id, values, OPERATOR);
    const refused = () => expect(pages.run(id, values, OPERATOR)).rejects.toThrow();
    if (recorded) expect(await changedUnrecorded(database(), refused)).toEqual(STORED_BEFORE[id] ?? []);
    expect((await events()).length).toBe(before);
    const answer = await pages.run(id, values, OPERATOR);
    const added = (await events()).slice(before);
    expect(added.length > 0).toBe(recorded);
    for (const event of added)
      expect(event).toMatchObject({
        ...{
          actor: OPERATOR.person.accountId,
          channel: 'page',
          agent: null,
          environment,
          request_id: OPERATOR.requestId,
        },
        // The erasure of an account includes why it was asked for, and from where.
        ...(id === 'deleteAccount' ? {} : { address: OPERATOR.address, reason: REASON }),
      });
    expect(answer.changes).toMatchObject(added.map(({ action, subject }) => ({ action, subject })));
  },
);

it('what a person typed is not an option: a preview with `--yes` among the values changes nothing', async () => {
  const values = {
    application: ids.get('app_1') ?? 'app_1',
    origins: 'https://shop.example.com --yes',
    reason: REASON,
  };
  const count = (await events()).length;
  expect(await pagesOf('sandbox').preview('setApplicationOrigins', values, OPERATOR)).toEqual([]);
  await expect(pagesOf('sandbox').run('setApplicationOrigins', values, OPERATOR)).rejects.toMatchObject({
    status: 400,
  });
  expect((await events()).length).toBe(count);
});

it.each<[string, OperationValues, string, string]>([
  ['switchOff', { kind: 'brand', subject: 'Bravo' }, 'reason', '"reason" is required.'],
  ['switchOff', { kind: 'brand', reason: REASON }, 'subject', '"subject" is required.'],
  [
    'switchOff',
    { kind: 'planet', subject: 'Bravo', reason: REASON },
    'kind',
    'Invalid option: expected one of "operation"',
  ],
  ['setSupplierState', { state: 'live', reason: REASON }, 'supplier', '"supplier" is required.'],
  ['getReservation', { reservation: '--help' }, 'reservation', '"reservation" in the path is not an id or name.'],
  ['getReservation', { reservation: '../accounts' }, 'reservation', '"reservation" in the path is not an id or name.'],
  [
    'planSupplierMaintenance',
    { supplier: 'bravo', from: '2099-13-01 04:00', until: PLAN.until, reason: REASON },
    'from',
    '"from" must be a UTC time',
  ],
  ['setSupplierCanary', { supplier: 'bravo', percent: 'all', reason: REASON }, 'percent', '"percent" must be'],
])('%s with %j is refused at its field', async (id, values, field, text) => {
  const refusal: unknown = await pagesOf('sandbox')
    .preview(id, values, OPERATOR)
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ status: 400, problems: [{ field, details: expect.stringContaining(text) }] });
});

it('a time to the minute is read as UTC, and the effects of a transition are shown before it is confirmed', async () => {
  const pages = pagesOf('sandbox');
  const plan = { subject: 'service', from: '2099-02-01 04:00', until: '2099-02-01 05:00', reason: REASON };
  const { result } = await pages.run('planMaintenance', plan, OPERATOR);
  expect(String(result)).toContain('2099-02-01T04:00:00.000Z\t2099-02-01T05:00:00.000Z');
  const values = { product: 'car_availability', version: 'v1.1', reason: REASON };
  await database().rows(sql`insert into product_versions (product_id, major, minor, patch, state)
    values ('car_availability', 1, 1, 0, 'designed')`);
  expect(await pages.preview('promoteVersion', values, OPERATOR)).toEqual([
    expect.stringMatching(/designed → beta: the 0 selected application/),
  ]);
});
