import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import {
  booked,
  driver,
  fresh,
  offerOf,
  on,
  QUICK,
  type Reservation,
  read,
  runSimulators,
  SECRET,
  settled,
} from '../support/booking.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { dumpDatabase, restoreDatabase } from '../support/dump.js';
import { gwInThread } from '../support/gw.js';
import { dayAhead } from '../support/rental.js';
import { newDataFolder, startGateway } from '../support/start-gateway.js';

const simulators = runSimulators();

/** The dump must be made while a change is in progress. */
const reservations = { ...QUICK.settings.reservations, settleSeconds: 6, reviewAfterSeconds: 120 };
const config = { ...QUICK, settings: { reservations } };

describeWith('initdb', 'pg_dump')('a change that was in progress when the database was dumped', () => {
  test('is not sent again after the restore if the journal has a later one, which the audit names; otherwise it is', async () => {
    const [first, second] = [await freshDatabase(), await freshDatabase()];
    const [dataFolder, folder] = [await newDataFolder(false), mkdtempSync(join(tmpdir(), 'forecourt-dump-'))];
    const startedAt = new Date(Date.now() - 1_000).toISOString();
    const envOf = ({ url }: TestDatabase) => ({ ...simulators().env, DATABASE_URL: url, FORECOURT_SECRET: SECRET });
    const before = await startGateway({ dataFolder, env: envOf(first), config });
    let client = await Client.of(before);
    const offerIn = (days: number) =>
      offerOf(client, 'alpine', { pickup_date: dayAhead(days), dropoff_date: dayAhead(days + 3) });
    const put = async ({ reservation_id: id }: Reservation, days: number, scenario?: string) => {
      const { offer_id } = await offerIn(days);
      return (await on(client, 'PUT', id, { offer_id }, scenario === undefined ? {} : { scenario })).status;
    };
    const names = { later: fresh(), only: fresh() };
    const dayOf = async (name: string) =>
      (await simulators().bookings('alpine', name)).map(({ pickupDate }) => pickupDate?.slice(0, 10));
    const stand = (name: string) =>
      offerIn(30).then(({ offer_id }) => booked(client, { offer_id, driver: driver(name) }));
    const [later, only] = [await stand(names.later), await stand(names.only)];

    for (const one of [later, only]) expect(await put(one, 60, 'alpine=lost_for_good')).toBe(202);
    await dumpDatabase(first.url, join(folder, 'forecourt.dump'));
    for (const one of [later, only]) await settled(client, one.reservation_id, ['confirmed'], 30_000);
    expect(await put(later, 90)).toBe(200);
    client.close();
    await before.child.stop('SIGKILL');

    await restoreDatabase(second.url, join(folder, 'forecourt.dump'));
    const after = await startGateway({ dataFolder, env: envOf(second), config });
    client = await Client.of(after);
    const ended = [];
    for (const { reservation_id: id } of [later, only])
      ended.push((await settled(client, id, ['confirmed', 'manual_review'], 30_000)).state);
    expect(ended).toEqual(['manual_review', 'confirmed']);
    expect((await read(client, later.reservation_id)).history.at(-1)?.reason).toContain('restored to an earlier time');
    expect([await dayOf(names.later), await dayOf(names.only)]).toEqual(
      [90, 60].map((days) => [dayAhead(days).slice(0, 10)]),
    );
    const said = gwInThread(['reservation', 'audit', '--since', startedAt, '--rate', '100'], {
      ...envOf(second),
      DATA_DIR: dataFolder,
    });
    expect(said.stdout).toMatch(new RegExp(`^changed\\t${later.reservation_id}\\t.*a change was requested at 20`, 'm'));
    expect(said.stdout).not.toContain(only.reservation_id);
    client.close();
    await after.stop();
    await Promise.all([first.dispose(), second.dispose()]);
    for (const path of [folder, dataFolder]) rmSync(path, { recursive: true, force: true });
  });
});
