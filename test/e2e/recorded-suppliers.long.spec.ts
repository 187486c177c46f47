import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Check } from '../../src/contract-kit/levels.js';
import { booked, driver, fresh, offerOf, on, QUICK, read, settled } from '../support/booking.js';
import { configFolder } from '../support/config-folder.js';
import { gwInThread } from '../support/gw.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

/** A booking as ember returns it: its answers say more than the booking (`ok`), which only a recorded one can know. */
const EMBER_BOOKING = {
  ok: 1,
  booking: {
    ...{
      no: 1000042,
      agent_ref: 'res_000042',
      st: 1,
      total_cents: 1,
      cur: 'USD',
      from_ts: 1810044000,
      from_tz: 'America/New_York',
    },
    ...{ to_ts: 1810389600, to_tz: 'America/New_York', acriss: 'CDAR', addons: [], covers: [] },
  },
};

describe('JSON suppliers played from answers recorded by gw adapter record', () => {
  const folder = configFolder({ ...QUICK, suppliers: { ...QUICK.suppliers, ember: { state: 'live' } } });
  afterAll(() => rmSync(folder, { recursive: true }));
  const placeOf = (id: string, name: string): string => join(folder, 'suppliers', id, name);
  const question = (name: string, content: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };

  function run(...words: string[]) {
    const { status, stdout, stderr } = gwInThread(words, { CONFIG_DIR: folder });
    return { status, text: stdout + stderr };
  }

  function record(id: string): void {
    const places = question('places.json', { keyword: 'boston', country_code: 'US' });
    const cars = question('cars.json', {
      ...{ pickup_location: 'BOS', pickup_date: dayAhead(30), dropoff_date: dayAhead(33), country_code: 'US', age: 35 },
    });
    for (const [operation, request] of [
      ['searchLocations', places],
      ['searchVehicles', cars],
    ] as const) {
      const kept = run(
        'adapter',
        'record',
        id,
        operation,
        '--request',
        request,
        '--out',
        placeOf(id, `${operation}.json`),
      );
      if (kept.status !== 0) throw new Error(kept.text);
    }
    const file = join(folder, 'suppliers', `${id}.yaml`);
    const before = parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(
      file,
      stringify({ ...before, simulator: { dialect: 'recorded', latency: { medianMs: 5, sigma: 0 } } }),
    );
  }

  beforeAll(() => {
    record('dune');
    record('ember');
    writeFileSync(placeOf('ember', 'book.json'), JSON.stringify(EMBER_BOOKING));
  }, 60_000);

  test.each(['dune', 'ember'])(
    '%s is gold: its own manifest plays every scenario of the kit',
    (id) => {
      const { status, text } = run('adapter', 'test', id, '--json');
      expect({ status, text: status === 0 ? '' : text }).toEqual({ status: 0, text: '' });
      expect(JSON.parse(text)).toMatchObject({ level: 'gold', simulated: true });
    },
    60_000,
  );

  test('ember with sessions is gold: one refused under HTTP 200 is replaced', () => {
    const ember = parse(readFileSync(join(folder, 'suppliers', 'ember.yaml'), 'utf8')) as {
      readonly simulator: object;
      readonly options: { readonly errors: readonly { readonly means: string }[] };
    };
    const file = join(folder, 'suppliers', 'finch.yaml');
    const auth = {
      kind: 'token',
      request: { method: 'POST', path: '/rest/session', json: { key: 'apiKey' } },
      token: 'session',
      expiresInSeconds: 600,
      headers: { 'x-session': '{token}' },
    };
    // A recorded session has no `ok`, so the rule for answers without it is left out.
    const others = ember.options.errors.filter(({ means }) => means !== 'unknown');
    const errors = [{ status: 200, when: 'err == `9001`', means: 'auth' }, ...others];
    writeFileSync(
      file,
      stringify({
        ...ember,
        id: 'finch',
        simulator: { ...ember.simulator, answers: 'ember' },
        options: { ...ember.options, auth, errors },
      }),
    );
    try {
      const { text } = run('adapter', 'test', 'finch', '--json');
      const { level, checks } = JSON.parse(text) as { readonly level: string; readonly checks: readonly Check[] };
      const ofSessions = checks.filter((check) => ['expired_session', 'session_403', 'restarted'].includes(check.case));
      expect([level, ofSessions.filter(({ result }) => result !== 'passed')]).toEqual(['gold', []]);
      expect(ofSessions.length).toBeGreaterThan(10);
    } finally {
      rmSync(file);
    }
  }, 60_000);

  test('reports a missing folder with file, line and expected contents', () => {
    const file = join(folder, 'suppliers', 'heron.yaml');
    const ember = parse(readFileSync(join(folder, 'suppliers', 'ember.yaml'), 'utf8')) as object;
    writeFileSync(file, stringify({ ...ember, id: 'heron' }));
    try {
      const { status, text } = run('adapter', 'validate', 'heron');
      expect(status).not.toBe(0);
      expect(text).toMatch(
        /suppliers\/heron\.yaml:\d+ simulator\.answers: the folder suppliers\/heron does not exist: put the recorded answers there, such as searchVehicles\.json/,
      );
    } finally {
      rmSync(file);
    }
  });

  describe('through a gateway', () => {
    const running = runGateway({ env: { CONFIG_DIR: folder } });

    test('they are searched, and fail as the scenario says', async () => {
      const { client } = running();
      const search = (scenario?: string) =>
        client.get(
          vehiclesPath({ brand: 'Dune,Ember' }),
          scenario === undefined ? {} : { headers: { 'x-sandbox-scenario': scenario } },
        );
      const found = await search();
      expect([found.status, new Set(found.body.vehicles.map(({ supplier }) => supplier))]).toEqual([
        200,
        new Set(['dune', 'ember']),
      ]);
      expect((await search('ember=sold_out')).reasons).toEqual(['no_supplier_results']);
      expect((await search('dune=error(503)')).reasons).toEqual(['supplier_failure']);
    });

    test('bookings are kept, found again after a lost answer, and cancelled', async () => {
      const { client } = running();
      const { offer_id } = await offerOf(client, 'dune');
      const made = await booked(client, { offer_id, driver: driver(fresh()) });
      expect((await read(client, made.reservation_id)).state).toBe('confirmed');
      expect((await on(client, 'DELETE', made.reservation_id)).status).toBe(204);
      const lost = await client.post(
        '/cars/reservation/v1/',
        { offer_id, driver: driver(fresh()) },
        { headers: { 'x-sandbox-scenario': 'dune=lost_then_found' } },
      );
      expect(lost.status).toBe(202);
      const { reservation } = JSON.parse(lost.text) as { reservation: { reservation_id: string } };
      expect((await settled(client, reservation.reservation_id, ['confirmed', 'manual_review', 'failed'])).state).toBe(
        'confirmed',
      );
    }, 60_000);
  });
});
