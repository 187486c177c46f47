import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { SDK_TYPES, sdkTypes } from '../../scripts/sdk-types.mjs';
import { PROJECT } from '../support/project.js';

const run = promisify(execFile);
const SDK = join(PROJECT, 'packages/sdk');

it('the types of the SDK are those of the newest released description: otherwise, npm run sdk', async () => {
  expect(readFileSync(join(PROJECT, SDK_TYPES), 'utf8') === (await sdkTypes(PROJECT))).toBe(true);
});

/** Programs of callers, and the errors that tsc must report for each. */
const PROGRAMS: readonly (readonly [program: string, ...errors: string[]])[] = [
  // Offers can be read only after `complete` was checked.
  ['export const offers = (found.complete ? found.data : found.partial).vehicles;'],
  ['export const offers = found.data.vehicles;', 'TS2339'],
  ['export const offers = found.partial.vehicles;', 'TS2339'],
  ['if (found.complete) console.log(found.missing);', 'TS2339'],
  // Neither searches nor bookings bypass that, or the key of a booking.
  ["await forecourt.request('get', '/cars/places/v1', { query: { keyword: 'Boston' } });"],
  ["await forecourt.request('get', '/cars/locations/v1', {});", 'TS2345'],
  ["await forecourt.request('post', '/cars/catalog/v1/vehicles', {});", 'TS2345'],
  ["await forecourt.request('post', '/cars/reservation/v1', {});", 'TS2345'],
  ["await forecourt.request('patch', '/cars/places/v1', {});", 'TS2345'],
  ["await forecourt.request('get', '/cars/suppliers/v1/{supplier_id}', {});", 'TS2345'],
  // Later versions add values of enums to answers, never to requests of this version.
  ["export const isNew = (await forecourt.readReservation('res_1')).state === 'added_later';"],
  ["await forecourt.searchVehicles({ pickup_location: '', pickup_date: '', dropoff_date: '' });"],
  ["await forecourt.searchVehicles({ pickup_location: '', pickup_date: '', dropoff_date: '', fuel: '' });", 'TS2322'],
];

it('callers compile only if they handle missing suppliers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forecourt-sdk-types-'));
  try {
    symlinkSync(join(SDK, 'src'), join(folder, 'sdk'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const head = `import type { Forecourt, Found, VehiclesAnswer } from './sdk/index.js';
      declare const forecourt: Forecourt;
      declare const found: Found<VehiclesAnswer>;`;
    for (const [index, [program]] of PROGRAMS.entries())
      writeFileSync(join(folder, `use-${index}.ts`), `${head}\n${program}\nexport {};`);
    const { compilerOptions } = JSON.parse(readFileSync(join(SDK, 'tsconfig.json'), 'utf8'));
    const own = { noEmit: true, noUnusedLocals: false, rootDir: '/', outDir: undefined, preserveSymlinks: true };
    const config = { compilerOptions: { ...compilerOptions, ...own }, files: PROGRAMS.map((_, at) => `use-${at}.ts`) };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(PROJECT, 'node_modules/typescript-7/bin/tsc');
    const words = [tsc, '-p', folder, '--pretty', 'false'];
    const { stdout } = await run(process.execPath, words).catch((error: { stdout: string }) => error);
    const errors = [...stdout.matchAll(/use-(\d+)\.ts.*error (TS\d+)/g)];
    const found = PROGRAMS.map(([program], at) => [
      program,
      ...errors.filter(([, file]) => Number(file) === at).map(([, , code]) => code),
    ]);
    expect(found).toEqual(PROGRAMS);
    expect(errors.length).toBe(stdout.split('error TS').length - 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
