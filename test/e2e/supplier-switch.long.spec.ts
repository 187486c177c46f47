import { setTimeout as wait } from 'node:timers/promises';
import { describeWith } from '../support/binaries.js';
import { booked, driver, eventually, fresh, offerOf, on, read } from '../support/booking.js';
import { Client } from '../support/client.js';
import { gwInThread } from '../support/gw.js';
import { type PostgresServer, startPostgres } from '../support/postgres.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

/** Long enough for three gateways on a machine with other work; how soon a switch takes effect is measured below. */
const WITHIN_MS = 10_000;
/** Who is called and who is skipped does not depend on how many offers there are; the tests search hundreds of times. */
const SEARCH = vehiclesPath({ max_results: '1' });
const without = (id: string): readonly string[] => SUPPLIER_IDS.filter((one) => one !== id);

describeWith('initdb')('supplier states that operators set at run time, on three gateways with one PostgreSQL', () => {
  let postgres: PostgresServer;
  let gateways: readonly Gateway[] = [];
  let clients: readonly Client[] = [];
  const env = () => ({ DATABASE_URL: postgres.url, FORECOURT_SECRET: 'a-secret-of-the-end-to-end-tests-0123456789' });
  // Tests ask until something changes, on each gateway.
  const tiers = { demo: { perMinute: 60_000, burst: 10_000 } };
  const start = () => startGateway({ env: env(), config: { tiers } });

  beforeAll(async () => {
    postgres = await startPostgres();
    gateways = await Promise.all([start(), start(), start()]);
    clients = await Promise.all(gateways.map((gateway) => Client.of(gateway)));
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await postgres.dispose();
  });

  const supplier = (...words: string[]): { code: number | null; said: string } => {
    const { status, stdout, stderr } = gwInThread(['supplier', ...words], env());
    return { code: status, said: stdout + stderr };
  };
  const give = (...words: string[]): void => expect(supplier('state', ...words).code).toBe(0) as undefined;
  const asked = async (client: Client): Promise<string> => {
    const { body, headers } = await client.get(SEARCH);
    const called = body.suppliers.filter(({ outcome }) => outcome !== 'skipped');
    return `${called.map((row) => row.supplier).join()} ${headers['x-suppliers-skipped'] ?? ''}`.trim();
  };
  const becomes = async (expected: string): Promise<void> => {
    const one = (client: Client) =>
      eventually(
        () => asked(client),
        (seen) => seen === expected,
        WITHIN_MS,
      );
    await Promise.all(clients.map(one));
  };
  const first = (): Client => clients[0] as Client;

  test('off: called by no gateway, then live again', async () => {
    await becomes(SUPPLIER_IDS.join());
    give('bravo', 'off');
    await becomes(without('bravo').join());
    give('bravo', 'live');
    await becomes(SUPPLIER_IDS.join());
  });

  test('a supplier that its file switches off becomes live without a restart', async () => {
    give('cobalt', 'live');
    await becomes([...SUPPLIER_IDS, 'cobalt'].join());
    give('cobalt', 'configured');
    await becomes(SUPPLIER_IDS.join());
  });

  describe('a switch', () => {
    // A second, and as much for a machine on which another process keeps a core busy.
    const MOST_MS = 2_000;
    const off = (...words: string[]): string => {
      const { status, stdout, stderr } = gwInThread(['switch', ...words], env());
      expect([status, stderr]).toEqual([0, '']);
      // The last row of a list; above the first is a line with the names of the columns.
      return stdout.trim().split('\n').at(-1)?.split('\t')[0] ?? '';
    };
    const answer = async (client: Client): Promise<string> => {
      const { status, headers, errors } = await client.get(vehiclesPath({ brand: 'Dune' }));
      return [status, errors[0]?.reason, headers['x-suppliers-skipped']].filter(Boolean).join(' ');
    };
    /** How long after it was stored the last gateway applied it. */
    const appliedMs = async (id: string, expected: string): Promise<number> => {
      const times = clients.map(async (client) => {
        await eventually(
          () => answer(client),
          (seen) => seen === expected,
        );
        return Date.now();
      });
      const last = Math.max(...(await Promise.all(times)));
      const [row] = await postgres.query(
        `select extract(epoch from created_at) * 1000 as at from switches where id = '${id}'`,
      );
      return last - Number(row?.at);
    };

    test.each([
      ['brand', 'Dune', '503 maintenance'],
      ['operation', 'searchVehicles', '503 maintenance'],
      ['product', 'car_availability', '503 maintenance'],
      ['supplier', 'dune', '503 maintenance'],
    ])(
      'of the %s %s takes effect on three gateways within a second, until it is removed',
      async (kind, subject, down) => {
        await appliedMs('none', '200');
        const id = off('off', kind, subject, '--reason', 'It fails');
        const ms = await appliedMs(id, down);
        expect(ms).toBeLessThan(MOST_MS);
        expect(await first().get(vehiclesPath())).toMatchObject({
          status: kind === 'brand' || kind === 'supplier' ? 200 : 503,
        });
        expect(off('list')).toBe(id);
        off('remove', id);
        await appliedMs('none', '200');
      },
    );

    test('that is planned begins and ends by itself, and is announced on the status page before', async () => {
      // Full seconds, and long enough for the command on a busy machine.
      const at = (seconds: number) =>
        new Date((Math.floor(Date.now() / 1_000) + seconds) * 1_000).toISOString().replace('.000Z', 'Z');
      const [from, until] = [at(9), at(12)];
      const planned = ['maintenance', 'bravo', '--from', from, '--until', until, '--reason', 'New release'];
      expect(supplier(...planned).said).toContain('\tsupplier\tbravo\t');
      const page = await eventually(
        async () => (await fetch(`${gateways[0]?.baseUrl}/status.json`)).text(),
        (text) => text.includes('New release'),
        8_000,
      );
      expect(JSON.parse(page)).toMatchObject({ planned: [{ part: 'supplier:bravo', reason: 'New release' }] });
      await wait(Date.parse(from) - Date.now());
      await eventually(
        () => asked(first()),
        (seen) => seen.endsWith(' bravo'),
      );
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(from));
      await wait(Date.parse(until) - Date.now());
      await becomes(SUPPLIER_IDS.join());
      expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
    });

    test.each([
      [['off', 'brand', 'Nothing', '--reason', 'why'], 'there is no brand "Nothing"; use one of'],
      [['off', 'operation', 'fly', '--reason', 'why'], 'there is no operation "fly"'],
      [['off', 'application', 'app_x', '--reason', 'why'], 'there is no kind "application"'],
      [['remove', 'sw_x'], 'there is no switch sw_x'],
    ])('%j is an error that says why', (words, why) => {
      const { status, stderr } = gwInThread(['switch', ...words], env());
      expect([status, stderr.includes(why)]).toEqual([2, true]);
    });
  });

  test('maintenance: skipped and named, until its end', async () => {
    // Full seconds, and long enough for all gateways to apply it on a busy machine.
    const until = new Date((Math.floor(Date.now() / 1_000) + 6) * 1_000).toISOString().replace('.000Z', 'Z');
    give('bravo', 'maintenance', '--until', until);
    await becomes(`${without('bravo').join()} bravo`);
    await wait(Date.parse(until) - 1_000 - Date.now());
    await eventually(
      () => asked(first()),
      (seen) => seen === SUPPLIER_IDS.join(),
      20_000,
    );
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(until));
    give('bravo', 'configured');
  });

  describe('maintenance of a product or the service', () => {
    const maintenance = (...words: string[]) => {
      const { status, stdout, stderr } = gwInThread(['maintenance', ...words], env());
      return { code: status, said: stdout + stderr };
    };
    const answered = async (client: Client, path: string): Promise<string> => {
      const { status, headers } = await client.get(path);
      return `${status} ${Number(headers['retry-after'] ?? 0) > 3_000 ? 'until its end' : ''}`.trim();
    };
    const everywhere = async (cars: string, health: string, all: readonly Client[] = clients): Promise<void> => {
      const one = async (client: Client): Promise<void> => {
        await eventually(
          () => answered(client, SEARCH),
          (seen) => seen === cars,
          5 * WITHIN_MS,
        );
        expect(await answered(client, '/health/live')).toBe(health);
      };
      await Promise.all(all.map(one));
    };
    // Whatever happened, the other tests need the service.
    afterAll(() => {
      for (const subject of ['service', 'car_availability']) maintenance('off', subject);
    });
    const until = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');

    test('is answered by every gateway with 503 and its announced end, including one started later', async () => {
      expect(maintenance('on', 'car_availability', '--until', until).code).toBe(0);
      await everywhere('503 until its end', '200');
      expect(maintenance('list').said).toContain('car_availability\t');
      const later = await start();
      const client = await Client.of(later);
      await everywhere('503 until its end', '200', [client]);
      client.close();
      await later.stop();
      expect(maintenance('off', 'car_availability').said).toContain('maintenance ended');
      await everywhere('200', '200');
      expect(maintenance('on', 'service').code).toBe(0);
      await everywhere('503', '200');
      expect(maintenance('off', 'service').code).toBe(0);
      await everywhere('200', '200');
    });

    test('of an unknown product is an error that lists the known ones', () => {
      const { code, said } = maintenance('on', 'car_nothing');
      expect(code).not.toBe(0);
      expect(said).toMatch(/there is no product "car_nothing"; use one of service, .*car_availability/);
    });
  });

  test('drain: no search and no new booking; existing bookings can be read, changed and cancelled', async () => {
    await becomes(SUPPLIER_IDS.join());
    const [offer, later] = [await offerOf(first(), 'alpine'), await offerOf(first(), 'alpine')];
    const { reservation_id } = await booked(first(), { offer_id: offer.offer_id, driver: driver(fresh()) });
    give('alpine', 'drain');
    await becomes(without('alpine').join());
    const refused = await first().post('/cars/reservation/v1/', { offer_id: later.offer_id, driver: driver(fresh()) });
    expect([refused.status, refused.errors[0]?.cause]).toEqual([404, 'rate_expired']);
    const changed = await on(first(), 'PATCH', reservation_id, { remark: 'later' });
    expect(changed.status).toBe(204);
    expect((await on(first(), 'DELETE', reservation_id)).status).toBe(204);
    expect((await read(first(), reservation_id)).state).toBe('cancelled');
    give('alpine', 'configured');
    await becomes(SUPPLIER_IDS.join());
  });

  test('shadow: searched after the answer and compared with it, never shown', async () => {
    give('dune', 'shadow');
    await becomes(without('dune').join());
    const answer = await first().get(vehiclesPath());
    expect(answer.text).not.toMatch(/dune/i);
    const named = await first().get(vehiclesPath({ brand: 'Dune' }));
    expect([named.status, named.errors[0]?.details]).toEqual([400, expect.not.stringMatching(/dune,|, dune/i)]);
    const metrics = async () => (await gateways[0]?.metrics()) ?? '';
    const text = await eventually(
      metrics,
      (seen) => /forecourt_shadow_price_ratio_count\{supplier="dune"\} [1-9]/.test(seen),
      5_000,
    );
    expect(text).toMatch(
      /forecourt_shadow_seconds_count\{supplier="dune",operation="searchVehicles",outcome="answered"\} [1-9]/,
    );
    expect(text).toMatch(/forecourt_shadow_coverage_ratio_count\{supplier="dune",operation="searchVehicles"\} [1-9]/);
    give('dune', 'configured');
    await becomes(SUPPLIER_IDS.join());
  });

  test('canary: each search of an application has one side on all gateways, and what was shown can be booked', async () => {
    expect(supplier('canary', 'dune', '--percent', '50', '--reason', 'first steps').said).toBe('dune: canary 50 %\n');
    expect(supplier('list').said).toContain('dune\tcanary 50 %\t-\tlive');
    const days = Array.from({ length: 14 }, (_, index) => dayAhead(40 + index));
    // One after another: the point is not load.
    const sides = async (client: Client): Promise<string> => {
      const seen: string[] = [];
      for (const dropoff_date of days) {
        const { status, text } = await client.get(vehiclesPath({ dropoff_date, max_results: '1' }));
        seen.push(`${status}${/dune/i.test(text) ? '+' : '-'}`);
      }
      return seen.join();
    };
    const isMixed = (seen: string): boolean => seen.includes('+') && seen.includes('-');
    // The switch may reach a gateway between two of its searches.
    const seen = await eventually(
      async () => {
        const all: string[] = [];
        for (const client of clients) all.push(await sides(client));
        return all;
      },
      (all) => all.every(isMixed) && new Set(all).size === 1,
      // Each try is 42 searches.
      10 * WITHIN_MS,
    );
    // Answers without it are complete: it hasn't failed.
    expect(seen[0]?.replaceAll(/200[+-],?/g, '')).toBe('');
    const inside = days[seen[0]?.split(',').findIndex((side) => side.endsWith('+')) ?? -1] ?? '';
    for (const client of clients) {
      const { body } = await client.get(vehiclesPath({ dropoff_date: inside, brand: 'Dune' }));
      const offer_id = body.vehicles[0]?.offer_id;
      const quote = await client.post('/cars/catalog/v1/vehicles/rates', { offer_id });
      expect(quote.status).toBe(200);
      const { reservation_id } = await booked(client, { offer_id, driver: driver(fresh()) });
      expect((await on(client, 'DELETE', reservation_id)).status).toBe(204);
    }
    give('dune', 'configured');
    await becomes(SUPPLIER_IDS.join());
  }, 90_000);

  test('a state set by an operator survives a restart, is listed, and every change is audited', async () => {
    give('bravo', 'off');
    const third = await start();
    const client = await Client.of(third);
    expect(await asked(client)).toBe(without('bravo').join());
    client.close();
    await third.stop();
    expect(supplier('list').said).toContain('bravo\toff\t-\tlive');
    give('bravo', 'configured');
    const rows = await postgres.query(
      `select action, after->>'state' as state from audit_events where subject = 'bravo' order by id desc limit 2`,
    );
    expect(rows).toEqual([
      { action: 'supplier_state_taken_back', state: null },
      { action: 'supplier_state_given', state: 'off' },
    ]);
  });

  test('a state set for a supplier whose file was removed is listed and can be cleared', async () => {
    await postgres.query(
      `insert into supplier_states (environment, supplier_id, state) values ('sandbox', 'gone', 'drain')`,
    );
    expect(supplier('list').said).toContain('gone\tdrain\t-\t-');
    expect(supplier('state', 'gone', 'live').code).toBe(2);
    give('gone', 'configured');
    expect([supplier('list').said.includes('gone'), supplier('state', 'gone', 'configured').code]).toEqual([false, 2]);
  });

  test('each gateway logs the states set by operators that apply, once for each change', async () => {
    give('bravo', 'drain');
    await becomes(without('bravo').join());
    for (const { child } of gateways) {
      const told = async () =>
        [...child.output().matchAll(/"states":(\{[^}]*\}).*supplier states set by operators/g)].map(
          ([, states]) => states ?? '',
        );
      const lines = await eventually(told, (seen) => seen.at(-1) === '{"bravo":"drain"}');
      expect(lines.filter((line, at) => line === lines[at - 1])).toEqual([]);
    }
    give('bravo', 'configured');
    await becomes(SUPPLIER_IDS.join());
  });

  test('without the database the last known states apply, and each gateway says so once', async () => {
    give('bravo', 'off');
    await becomes(without('bravo').join());
    await postgres.stop();
    const told = () =>
      gateways.map(({ child }) => child.output().split('settings of operators cannot be read').length - 1);
    await eventually(
      async () => told(),
      (lines) => lines.every((count) => count > 0),
    );
    for (const client of clients) expect(await asked(client)).toBe(without('bravo').join());
    await postgres.start();
    give('bravo', 'configured');
    await becomes(SUPPLIER_IDS.join());
    expect(told()).toEqual([1, 1, 1]);
  });

  test.each([
    [['nobody', 'off'], 'there is no supplier "nobody"'],
    [['bravo', 'broken'], 'there is no state "broken"'],
    [['bravo', 'canary'], 'use `gw supplier canary`'],
    [['bravo', 'off', '--until', '2030-01-01T00:00:00Z'], '--until is allowed only with maintenance'],
    [['bravo', 'maintenance', '--until', 'tomorrow'], '--until must be a UTC time'],
    [['bravo', 'maintenance', '--until', '2020-01-01T00:00:00Z'], '--until must be in the future'],
  ])('rejects gw supplier state %j with the reason', (words, reason) => {
    const { code, said } = supplier('state', ...words);
    expect([code, said.includes(reason)]).toEqual([2, true]);
  });
});
