import type { Command } from 'commander';
import { configFolder } from '../boot.js';
import { loadConfig } from '../config/load-config.js';
import { type ProductState, promoted } from '../products/lifecycle.js';
import { readProductFile } from '../products/product-file.js';
import { ProductLifecycle, type Transition, type VersionMove } from '../products/product-lifecycle.js';
import { exactVersion, formatVersion, fulfils, parseVersion, type Version } from '../products/version.js';
import { openApiDocument } from '../system/openapi.js';
import { changing } from './changing.js';
import type { CommandRun, OpenedGateway } from './command-run.js';
import { printRows } from './table.js';

const ACTOR = 'ops';

interface Change extends VersionMove {
  readonly options: MoveOptions;
}

interface MoveOptions {
  readonly version: string;
  readonly sunset?: string;
  readonly yes?: boolean;
}

/** Adds `gw products …`, which manages versions of products in the database. */
export function addProductCommands(gw: Command, run: CommandRun): void {
  const products = gw.command('products').description('manage versions of products');
  const withLifecycle = (work: (lifecycle: ProductLifecycle, gateway: OpenedGateway) => Promise<void>) =>
    run.gateway((gateway) => work(new ProductLifecycle(gateway.database, gateway.config.environment), gateway));
  const move = (lifecycle: ProductLifecycle, gateway: OpenedGateway, change: Change) =>
    moveVersion(run, lifecycle, gateway, change);

  products
    .command('list')
    .description('list all versions: product, version, state, deprecated since, sunset')
    .option('--json', 'print them as JSON')
    .action(({ json }: { json?: boolean }) =>
      withLifecycle(async (lifecycle) => {
        const rows = (await lifecycle.list()).map((row) => {
          return [row.productId, formatVersion(row), row.state, dayOf(row.deprecatedAt), dayOf(row.sunsetAt)];
        });
        printRows(run, ['product', 'version', 'state', 'deprecated', 'sunset'], rows, json);
      }),
    );

  products
    .command('describe')
    .description('print the API description of this build (OpenAPI 3.1) in the format of releases/')
    .action(() => {
      const { config } = loadConfig(configFolder(process.env), process.env, []);
      run.print(JSON.stringify(openApiDocument(config), null, 2));
    });

  withSunset(
    withMoveOptions(
      changing(products.command('promote <product>')).description('move a version one step: Designed → Beta → Live'),
    ),
  ).action((product: string, options: MoveOptions) =>
    withLifecycle(async (lifecycle, gateway) => {
      const version = versionFrom(options.version);
      const row = (await lifecycle.list()).find((one) => one.productId === product && fulfils(one, version));
      await move(lifecycle, gateway, {
        productId: product,
        version,
        to: (row && promoted(row.state)) ?? 'live',
        options,
      });
    }),
  );

  withSunset(
    withMoveOptions(
      changing(products.command('deprecate <product>')).description(
        'Live → Deprecated: closes a version to new subscribers',
      ),
    ),
  ).action((product: string, options: MoveOptions) =>
    withLifecycle((lifecycle, gateway) =>
      move(lifecycle, gateway, {
        productId: product,
        version: versionFrom(options.version),
        to: 'deprecated',
        options,
      }),
    ),
  );

  withMoveOptions(
    changing(products.command('retire <product>')).description(
      'Deprecated → Retired: the version stops answering calls',
    ),
  ).action((product: string, options: MoveOptions) =>
    withLifecycle((lifecycle, gateway) =>
      move(lifecycle, gateway, { productId: product, version: versionFrom(options.version), to: 'retired', options }),
    ),
  );

  withMoveOptions(
    changing(products.command('restore <product>'), 'own')
      .description('Retired → Deprecated: takes back a retirement that was a mistake')
      .requiredOption('--reason <text>', 'why; recorded in the audit log'),
  ).action((product: string, options: MoveOptions & { readonly reason: string }) =>
    withLifecycle((lifecycle, gateway) => {
      if (options.reason.trim() === '') throw new Error('--reason must say why');
      const version = versionFrom(options.version);
      return move(lifecycle, gateway, { productId: product, version, to: 'deprecated', isUndo: true, options });
    }),
  );

  changing(products.command('beta-add <product> <application>'))
    .description('add a sandbox application to the Beta of a minor version')
    .requiredOption('--version <version>', 'such as v1.1')
    .action((product: string, application: string, options: { version: string }) =>
      withLifecycle(async (lifecycle) => {
        const isNew = await lifecycle.selectForBeta(product, versionFrom(options.version), application, ACTOR);
        run.print(`${product} ${options.version}: ${application} ${isNew ? 'added' : 'was already added'}`);
      }),
    );

  changing(products.command('beta-remove <product> <application>'))
    .description('remove an application from a Beta')
    .requiredOption('--version <version>', 'such as v1.1')
    .action((product: string, application: string, options: { version: string }) =>
      withLifecycle(async (lifecycle) => {
        const wasThere = await lifecycle.dropFromBeta(product, versionFrom(options.version), application, ACTOR);
        run.print(`${product} ${options.version}: ${application} ${wasThere ? 'removed' : "wasn't in the Beta"}`);
      }),
    );
}

function withMoveOptions(command: Command): Command {
  return command
    .requiredOption('--version <version>', 'exact version, such as v1.1')
    .option('--yes', 'skip the confirmation');
}

function withSunset(command: Command): Command {
  return command.option('--sunset <date>', 'date (YYYY-MM-DD) on which the deprecated version will be retired');
}

/** Whether this build has routes of a major version; without them, calls get 404 whatever its state. */
function isBuilt({ folder, config }: OpenedGateway, product: string, major: number): boolean {
  const path = readProductFile(folder).products.find(({ id }) => id === product)?.path;
  const { paths } = openApiDocument(config) as { paths: Record<string, unknown> };
  return path === undefined || Object.keys(paths).some((one) => `${one}/`.startsWith(`${path}/v${major}/`));
}

async function moveVersion(
  run: CommandRun,
  lifecycle: ProductLifecycle,
  gateway: OpenedGateway,
  { options, ...change }: Change,
): Promise<void> {
  const { productId: product, version, to } = change;
  const sunset = options.sunset === undefined ? undefined : dateFrom(options.sunset);
  const plan = await lifecycle.plan(change);
  for (const line of effects(plan, options.sunset)) run.tell(line);
  if (to !== 'retired' && !isBuilt(gateway, product, version.major)) {
    run.tell(
      `WARNING: this build has no routes for v${version.major}, so its callers get 404. First deploy a build that has them.`,
    );
  }
  if (!options.yes && !(await run.confirm('Continue?'))) throw new Error('nothing was changed');
  await lifecycle.move(change, ACTOR, sunset);
  run.print(`${product} ${formatVersion(version)}: ${plan.version.state} → ${to}`);
  for (const row of plan.deprecates) run.print(`${product} ${formatVersion(row)}: live → deprecated`);
}

/** Describes the effects of a transition and how many applications it affects, one per line. */
function effects(
  { version, to, deprecates, subscribers, betaApplications }: Transition,
  sunset: string | undefined,
): string[] {
  const name = `${version.productId} ${formatVersion(version)}`;
  const audience: Readonly<Record<ProductState, string>> = {
    designed: 'no application may call it',
    beta: `the ${betaApplications} selected application(s) may call it in the sandbox only`,
    live: `the ${subscribers} subscribed application(s) and all new subscribers may call it`,
    deprecated: `the ${subscribers} subscribed application(s) may keep calling it, new subscribers may not${sunset === undefined ? '' : `; sunset ${sunset}`}`,
    retired: `no application may call it any longer: ${subscribers} subscribed application(s) lose access${promise(version.sunsetAt)}`,
  };
  return [
    `${name}: ${version.state} → ${to}: ${audience[to]}.`,
    ...deprecates.map(
      (row) => `${version.productId} ${formatVersion(row)}: live → deprecated: ${audience.deprecated}.`,
    ),
  ];
}

function promise(sunsetAt: Date | null): string {
  return sunsetAt !== null && sunsetAt.getTime() > Date.now()
    ? `, although its sunset was announced for ${dayOf(sunsetAt)}`
    : '';
}

function versionFrom(text: string): Version {
  const version = parseVersion(text);
  if (!version) throw new Error(`"${text}" is not a version: use a format such as v1, v1.1, v1.1.1 or v2.0.1`);
  return exactVersion(version);
}

function dateFrom(text: string): Date {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : Number.NaN);
  if (Number.isNaN(date.getTime()) || dayOf(date) !== text) throw new Error(`"${text}" is not a date: use YYYY-MM-DD`);
  return date;
}

/** `YYYY-MM-DD`, `-` for none. */
function dayOf(date: Date | null): string {
  return date === null ? '-' : date.toISOString().slice(0, 10);
}
