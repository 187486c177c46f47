import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ROOMY } from '../support/config-folder.js';
import { PROJECT } from '../support/project.js';
import { runGateway } from '../support/run-gateway.js';

interface Row {
  readonly code: number;
  readonly reason: string;
  readonly cause: string;
  readonly states: readonly string[];
  readonly place: string;
  readonly brand: string;
  readonly scenario: string;
}

/** The rows of the section Bookings of docs/sandbox.md: the page is the source, so that it cannot rot. */
function rows(): Row[] {
  const text = readFileSync(join(PROJECT, 'docs', 'sandbox.md'), 'utf8');
  const section = text.slice(text.indexOf('## Bookings'), text.indexOf('## The scenario header'));
  return section
    .split('\n')
    .filter((line) => /^\| \d{3} /.test(line))
    .map((line) => {
      const [, code = '', reason = '', cause = '', states = '', place = '', brand = '', scenario = ''] = line
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', ''));
      return {
        code: Number(code),
        reason,
        cause,
        states: states.split(' → ').filter((state) => state !== ''),
        place,
        brand,
        scenario,
      };
    });
}

describe('the bookings of docs/sandbox.md', () => {
  const running = runGateway({
    config: {
      settings: { reservations: { settleSeconds: 3, firstCheckMs: 300, checkEveryMs: 100 } },
      tiers: ROOMY,
    },
  });

  const table = rows();

  it('has rows for every way a booking can go', () => {
    expect(table.length).toBeGreaterThan(12);
    expect([...new Set(table.map((row) => row.code))].sort()).toEqual([201, 202, 400, 404, 408, 500, 503]);
  });

  it.each(table)(
    '$code $reason $cause $states: $brand at $place $scenario',
    async ({ code, reason, cause, states, place, brand, scenario }) => {
      const { client } = running();
      const day = (ahead: number): string => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);
      const dates = `pickup_date=${day(30)}T10:00:00&dropoff_date=${day(33)}T10:00:00`;
      const found = await client.get(
        `/cars/catalog/v1/vehicles?pickup_location=${place}&${dates}&brand=${brand}&max_results=1`,
      );
      const driver = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' };
      const headers: Record<string, string> = scenario === '' ? {} : { 'x-sandbox-scenario': scenario };
      const answer = await client.post(
        '/cars/reservation/v1/',
        { offer_id: found.body.vehicles[0]?.offer_id, driver },
        { headers },
      );
      expect([answer.status, answer.errors.map((entry) => `${entry.reason} ${entry.cause ?? ''}`.trim())]).toEqual([
        code,
        reason === '' ? [] : [`${reason} ${cause}`.trim()],
      ]);
      const [first, last = first] = states;
      if (first === undefined) return;
      let { reservation } = answer.body;
      expect(reservation.state).toBe(first);
      for (let tries = 0; reservation.state !== last && tries < 150; tries += 1) {
        await wait(100);
        reservation = (await client.get(`/cars/reservation/v1/${reservation.reservation_id}`)).body.reservation;
      }
      expect(reservation.state).toBe(last);
    },
  );
});
