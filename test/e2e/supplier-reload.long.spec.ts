import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { booked, driver, eventually, fresh, offerOf, on, read } from '../support/booking.js';
import type { Client } from '../support/client.js';
import { configFolder } from '../support/config-folder.js';
import { gw } from '../support/gw.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

const folder = configFolder({ settings: { suppliers: { reloadMs: 100 } } });
const fileOf = (id: string): string => join(folder, 'suppliers', `${id}.yaml`);
const write = (id: string, changes: object): void => {
  const before = id === 'delta' ? {} : (parse(readFileSync(fileOf(id), 'utf8')) as object);
  writeFileSync(fileOf(id), stringify({ ...before, ...changes }));
};

describe('changes to supplier files', () => {
  const running = runGateway({ embedded: true, env: { CONFIG_DIR: folder } });
  afterAll(() => rmSync(folder, { recursive: true }));

  const askedBy = async (client: Client): Promise<readonly string[]> =>
    (await client.get(vehiclesPath())).body.suppliers.map((row) => row.supplier);
  const becomes = (ids: readonly string[]): Promise<unknown> =>
    eventually(
      () => askedBy(running().client),
      (asked) => asked.join() === ids.join(),
      5_000,
    );
  const refused = async (): Promise<number> => {
    const text = await running().gateway.metrics();
    return Number(/forecourt_supplier_generations_total\{result="refused"\} (\d+)/.exec(text)?.[1] ?? 0);
  };

  test('a new supplier is called without a restart, with its own brand and simulator', async () => {
    await becomes(SUPPLIER_IDS);
    const simulator = { dialect: 'ota', seed: 5, latency: { medianMs: 5, sigma: 0 } };
    write('delta', {
      id: 'delta',
      name: 'Delta Cars',
      adapter: 'ota-xml',
      order: 99,
      brands: ['Delta'],
      options: { vendorCodes: { Delta: 'DL' } },
      simulator,
    });
    await becomes([...SUPPLIER_IDS, 'delta']);
    const { body, status } = await running().client.get(vehiclesPath({ brand: 'Delta' }));
    expect([status, new Set(body.vehicles.map(({ brand }) => brand))]).toEqual([200, new Set(['Delta'])]);
  });

  test('a supplier that was added has a state that operators can change while the gateway runs', () => {
    const { gateway } = running();
    const run = (...words: string[]) => gw(words, { DATA_DIR: gateway.dataFolder, CONFIG_DIR: folder });
    expect(run('supplier', 'state', 'delta', 'maintenance')).toMatchObject({ status: 0, stderr: '' });
    expect(run('supplier', 'list').stdout).toContain('delta\tmaintenance');
    expect(run('supplier', 'state', 'delta', 'configured').status).toBe(0);
  });

  test('requests in flight while files change complete as they started: none fails', async () => {
    const { client } = running();
    const headers = { 'x-sandbox-scenario': 'bravo=slow(700)' };
    const underWay = Array.from({ length: 12 }, () => client.get(vehiclesPath(), { headers }));
    write('bravo', { name: 'Bravo Renamed' });
    const named = () => client.get(locationsPath('boston'), { headers: { 'x-sandbox-scenario': 'bravo=error(503)' } });
    await eventually(named, ({ errors }) => errors.some(({ details }) => details.startsWith('Bravo Renamed ')), 5_000);
    expect((await Promise.all(underWay)).map(({ status }) => status)).toEqual(underWay.map(() => 200));
  });

  test('rejects an invalid file with file and line; the old suppliers keep serving, and a fixed file is loaded', async () => {
    const before = await refused();
    const good = readFileSync(fileOf('delta'), 'utf8');
    writeFileSync(fileOf('delta'), good.replace('order: 99', 'order: many'));
    await eventually(refused, (count) => count > before, 5_000);
    const said = async () => running().gateway.child.output();
    await eventually(said, (output) => /suppliers\/delta\.yaml:4 order:/.test(output), 5_000);
    expect(await askedBy(running().client)).toEqual([...SUPPLIER_IDS, 'delta']);
    writeFileSync(fileOf('delta'), good.replace('order: 99', 'order: 5'));
    await becomes(['delta', ...SUPPLIER_IDS]);
  });

  test('an adapter that refuses its new options changes nothing', async () => {
    const before = await refused();
    const good = readFileSync(fileOf('delta'), 'utf8');
    write('alpine', { options: { vendorCodes: { Alpine: 'AL' }, envelope: 'none' } });
    await eventually(refused, (count) => count > before, 5_000);
    expect(await askedBy(running().client)).toEqual(['delta', ...SUPPLIER_IDS]);
    write('alpine', { options: { vendorCodes: { Alpine: 'AL' } } });
    writeFileSync(fileOf('delta'), good.replace('order: 5', 'order: 99'));
    await becomes([...SUPPLIER_IDS, 'delta']);
  });

  test('a reservation with a supplier whose file has changed can be read and cancelled', async () => {
    const { client } = running();
    const offer = await offerOf(client, 'alpine');
    const { reservation_id } = await booked(client, { offer_id: offer.offer_id, driver: driver(fresh()) });
    write('alpine', { state: 'off' });
    await becomes([...SUPPLIER_IDS.filter((id) => id !== 'alpine'), 'delta']);
    expect((await read(client, reservation_id)).state).toBe('confirmed');
    expect((await on(client, 'DELETE', reservation_id)).status).toBe(204);
    expect((await read(client, reservation_id)).state).toBe('cancelled');
    write('alpine', { state: 'live' });
    await becomes([...SUPPLIER_IDS, 'delta']);
  });

  test('a booking in flight while its supplier is renamed and switched off is made', async () => {
    const { client } = running();
    const { offer_id } = await offerOf(client, 'dune');
    const headers = { 'x-sandbox-scenario': 'dune=slow(800)' };
    const booking = client.post('/cars/reservation/v1/', { offer_id, driver: driver(fresh()) }, { headers });
    write('dune', { name: 'Dune Renamed', state: 'off' });
    await becomes([...SUPPLIER_IDS.filter((id) => id !== 'dune'), 'delta']);
    const { status, body } = await booking;
    expect([status, body.reservation.state]).toEqual([201, 'confirmed']);
    expect((await on(client, 'DELETE', body.reservation.reservation_id)).status).toBe(204);
    write('dune', { state: 'live' });
    await becomes([...SUPPLIER_IDS, 'delta']);
  });

  test('a supplier whose file was removed is no longer called', async () => {
    rmSync(fileOf('delta'));
    await becomes(SUPPLIER_IDS);
    expect((await running().client.get(vehiclesPath({ brand: 'Delta' }))).status).toBe(400);
  });
});
