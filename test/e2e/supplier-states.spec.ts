import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';
import { SUPPLIER_IDS } from '../support/suppliers.js';

describe('a supplier in maintenance, and one that serves one country (ruling 6)', () => {
  const running = runGateway({
    config: { suppliers: { bravo: { state: 'maintenance' }, dune: { countries: ['DE'] } } },
  });

  test.each([locationsPath('BOS'), vehiclesPath()])(
    '%s: it is skipped and listed, and the answer is not partial',
    async (path) => {
      const answer = await running().client.get(path);
      expect([answer.status, answer.missing, answer.headers['x-suppliers-skipped']]).toEqual([200, [], 'bravo']);
    },
  );

  test('it is a row of suppliers[] with outcome skipped and the reason, in JSON and in NDJSON', async () => {
    const row = { supplier: 'bravo', outcome: 'skipped', cause: 'maintenance', offers: 0, duration_ms: 0 };
    const answer = await running().client.get(vehiclesPath({ pickup_location: 'FRA' }));
    expect(answer.body.suppliers.map(({ supplier }) => supplier)).toEqual(SUPPLIER_IDS);
    expect(answer.body.suppliers).toContainEqual(row);
    const stream = await running().client.get(vehiclesPath(), { headers: { accept: 'application/x-ndjson' } });
    const lines = stream.text.trimEnd().split('\n');
    expect(JSON.parse(lines.at(-2) ?? '')).toEqual({ ...row, vehicles: [] });
  });

  test('the only eligible supplier in maintenance: 503 maintenance with Retry-After', async () => {
    const answer = await running().client.get(locationsPath('BOS', { brand: 'Bravo' }));
    expect([answer.status, answer.reasons, answer.headers['retry-after']]).toEqual([503, ['maintenance'], '120']);
  });

  test('a supplier that is off is not mentioned', async () => {
    const answer = await running().client.get(vehiclesPath());
    expect(answer.text + JSON.stringify(answer.headers)).not.toMatch(/cobalt/i);
  });

  test('a supplier that does not serve the country is not mentioned (ruling 6)', async () => {
    const suppliers = async (pickup: string) => {
      const { body } = await running().client.get(vehiclesPath({ pickup_location: pickup }));
      return body.suppliers.map(({ supplier }) => supplier);
    };
    expect([await suppliers('BOS'), await suppliers('FRA')]).toEqual([
      SUPPLIER_IDS.filter((id) => id !== 'dune'),
      SUPPLIER_IDS,
    ]);
  });
});

describe('MAINTENANCE=1 (spec §7.3)', () => {
  const running = runGateway({ env: { MAINTENANCE: '1' } });

  test.each(['/oauth/token/v1', '/cars/locations/v1?keyword=boston', '/cars/catalog/v1/vehicles'])(
    '%s: 503 maintenance with Retry-After',
    async (path) => {
      const answer = await running().client.get(path, { token: null });
      expect([answer.status, answer.reasons, answer.headers['retry-after']]).toEqual([503, ['maintenance'], '120']);
    },
  );

  test('the endpoints of OAuth say so in its form', async () => {
    const answer = await running().client.call('POST', '/oauth/token/v1', {
      token: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'a=b',
    });
    const { error } = JSON.parse(answer.text) as { error: string };
    expect([answer.status, error, answer.headers['retry-after']]).toEqual([503, 'temporarily_unavailable', '120']);
  });

  test.each(['/health/live', '/health/ready', '/openapi.json'])('%s stays up', async (path) => {
    expect((await running().client.get(path, { token: null })).status).toBe(200);
  });
});
