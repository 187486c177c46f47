import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/binaries.js';
import { booked, driver, eventually, fresh, offerOf, QUICK, read, runSimulators, SECRET } from '../support/booking.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { dumpDatabase, restoreDatabase } from '../support/dump.js';
import { gwInThread } from '../support/gw.js';
import { newDataFolder, startGateway } from '../support/start-gateway.js';

const simulators = runSimulators();

describeWith('initdb', 'pg_dump')('a database restored from a dump', () => {
  test('revives neither erased data nor a revoked secret, and the log says so', async () => {
    const [first, second] = [await freshDatabase(), await freshDatabase()];
    const [dataFolder, folder] = [await newDataFolder(false), mkdtempSync(join(tmpdir(), 'forecourt-dump-'))];
    const envOf = ({ url }: TestDatabase) => ({ ...simulators().env, DATABASE_URL: url, FORECOURT_SECRET: SECRET });
    const gw = (...words: string[]) => gwInThread(words, { ...envOf(first), DATA_DIR: dataFolder });
    const before = await startGateway({ dataFolder, env: envOf(first), config: QUICK });
    let client = await Client.of(before);
    const body = { offer_id: (await offerOf(client, 'alpine')).offer_id, driver: driver(fresh('Erased')) };
    const { reservation_id: id } = await booked(client, body);
    const made = JSON.parse(gw('apps', 'create', 'Leaky').stdout) as Record<string, string>;
    const headers = { client_id: made.client_id ?? '', client_secret: made.client_secret ?? '' };
    const mint = async () => (await client.get('/oauth/token/v1', { token: null, headers })).status;
    expect(await mint()).toBe(200);
    await dumpDatabase(first.url, join(folder, 'forecourt.dump'));

    expect(gw('reservation', 'erase', id, '--force').status).toBe(0);
    expect(gw('secrets', 'revoke', made.secret_id ?? '').status).toBe(0);
    expect([(await read(client, id)).driver, await mint()]).toEqual([null, 401]);
    const journal = join(dataFolder, 'journal');
    const copies = () =>
      readdirSync(journal)
        .filter((name) => name.endsWith('.changes.ndjson'))
        .map((name) => readFileSync(join(journal, name), 'utf8'))
        .join('');
    await eventually(
      async () => copies(),
      (text) => text.includes('secret_revoked') && text.includes(id),
    );
    client.close();
    await before.child.stop('SIGKILL');

    await restoreDatabase(second.url, join(folder, 'forecourt.dump'));
    const after = await startGateway({ dataFolder, env: envOf(second), config: QUICK });
    client = await Client.of(after);
    expect([(await read(client, id)).driver, await mint()]).toEqual([null, 401]);
    await after.child.printed('erasures and revocations made since were carried out again');
    client.close();
    await after.stop();
    await Promise.all([first.dispose(), second.dispose()]);
    for (const path of [folder, dataFolder]) rmSync(path, { recursive: true, force: true });
  });
});
