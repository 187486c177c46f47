import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DASHBOARDS } from '../../scripts/dashboards/dashboards.mjs';
import { grafanaDashboard } from '../../scripts/dashboards/grafana.mjs';
import { describeWith } from '../support/binaries.js';
import { create, driver, fresh, offerOf, QUICK } from '../support/booking.js';
import { Client } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { type MailServer, startMailServer } from '../support/mail-server.js';
import { PROJECT } from '../support/project.js';
import { type Prometheus, startPrometheus } from '../support/prometheus.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/** Everything is scraped every second, so a minute is a window with enough samples. */
const VARIABLES: Readonly<Record<string, string>> = { $__rate_interval: '1m', $job: '.+', $supplier: 'alpine' };
const PANELS = DASHBOARDS.flatMap(({ name, panels }) => panels.map(({ title, shows }) => ({ name, title, shows })));
/** The gateway evaluates every 10 s; a busy machine is given six times as long. */
const PATIENCE_MS = 60_000;

describe('dashboards', () => {
  it.each(DASHBOARDS)('deploy/grafana/$name.json is what npm run dashboards writes', (dashboard) => {
    const text = readFileSync(join(PROJECT, 'deploy/grafana', `${dashboard.name}.json`), 'utf8');
    expect(JSON.parse(text)).toEqual(grafanaDashboard(dashboard));
  });
});

describeWith('prometheus', 'initdb')('a gateway with a supplier that fails', () => {
  let [receiver, hooks]: [Server | undefined, Record<string, unknown>[]] = [undefined, []];
  let mail: MailServer;
  let database: TestDatabase;
  let gateway: Gateway;
  let client: Client;
  let prometheus: Prometheus;
  let traffic: Promise<void>;
  let isRunning = true;
  beforeAll(async () => {
    hooks = [];
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (part: Buffer) => {
        text += part.toString();
      });
      request.on('end', () => {
        hooks.push(JSON.parse(text) as Record<string, unknown>);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    [mail, database] = await Promise.all([startMailServer(), freshDatabase()]);
    gateway = await startGateway({
      env: {
        DATABASE_URL: database.url,
        SMTP_URL: mail.url,
        ALERT_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
        // No one listens there.
        SUPPLIER_BRAVO_URL: 'http://127.0.0.1:9',
      },
      config: {
        ...QUICK,
        settings: { ...QUICK.settings, slo: { minimumFailures: 3 } },
        tiers: {},
        suppliers: { ...QUICK.suppliers, bravo: { resilience: { breaker: { minCalls: 3 } } } },
      },
    });
    await database.query(
      "insert into accounts (id, environment, name, tier, email, verified_at, role) values ('acc_ops', 'sandbox', 'Olga', 'standard', 'ops@example.org', now(), 'ops'), ('acc_dev', 'sandbox', 'Dora', 'standard', 'dev@example.org', now(), 'developer')",
    );
    client = await Client.of(gateway);
    const metricsUrl = JSON.parse(readFileSync(join(gateway.dataFolder, 'first-steps.json'), 'utf8')).urls.metrics;
    prometheus = await startPrometheus(metricsUrl as string);
    // A counter must be scraped before it grows.
    await wait(2_000);
    traffic = ordinaryTraffic();
  });
  afterAll(async () => {
    isRunning = false;
    await traffic;
    client.close();
    await Promise.all([prometheus.stop(), gateway.stop(), mail.stop()]);
    await database.dispose();
    receiver?.close();
  });

  /** Searches, bookings, refused calls, every second until the tests end. */
  async function ordinaryTraffic(): Promise<void> {
    for (let round = 0; isRunning; round += 1) {
      await client.freshToken();
      await client.get('/cars/locations/v1/?country_code=US&keyword=boston');
      await client.get('/cars/locations/v1/?country_code=nowhere&keyword=boston');
      await client.get('/cars/locations/v1/?keyword=boston', { token: await client.token('demo-throttled') });
      const place: Record<string, string> = round % 5 === 1 ? { pickup_location: 'ZZT202' } : {};
      const { offer_id } = await offerOf(client, round % 5 === 1 ? 'abg' : 'alpine', place);
      await create(client, { offer_id, driver: driver(fresh()) });
      await wait(500);
    }
  }

  test('sends one alert about it to the webhook and to the operator, and to no developer', async () => {
    const letter = await mail.next('ops@example.org', PATIENCE_MS);
    expect(letter.subject).toBe('Alert (sandbox): calls of bravo fail: the error budget burns fast');
    expect(letter.text).toContain('docs/runbooks/supplier-failures.md');
    expect(mail.mails().filter(({ to }) => to !== 'ops@example.org')).toEqual([]);
    const fast = hooks.filter(({ groupKey }) => groupKey === '{}:{alertname="ForecourtSupplierBurnFast"}');
    expect(fast).toHaveLength(1);
    expect(fast[0]).toMatchObject({ version: '4', status: 'firing', alerts: [{ labels: { supplier: 'bravo' } }] });
    expect(hooks.filter(({ commonLabels }) => JSON.stringify(commonLabels).includes('alpine'))).toEqual([]);
  }, 90_000);

  test('fires the alerts of Prometheus about it, and no other ones', async () => {
    const isFiring = async () => (await prometheus.firing()).includes('ForecourtSupplierBurnFast');
    for (const end = Date.now() + PATIENCE_MS; !(await isFiring()) && Date.now() < end; ) await wait(1_000);
    const firing = await prometheus.firing();
    expect(firing).toContain('ForecourtSupplierBurnFast');
    expect(firing.filter((name) => !name.startsWith('ForecourtSupplier'))).toEqual([]);
  }, 90_000);

  test('every query of every dashboard returns data', async () => {
    expect(DASHBOARDS).toHaveLength(6);
    let without: string[] = [];
    const end = Date.now() + PATIENCE_MS;
    do {
      without = [];
      for (const { name, title, shows } of PANELS)
        for (const expr of Object.keys(shows)) {
          const samples = await prometheus.query(expr.replaceAll(/\$\w+/g, (word) => VARIABLES[word] ?? word));
          if (!samples.some(({ value }) => Number.isFinite(value))) without.push(`${name}, ${title}: ${expr}`);
        }
      if (without.length > 0) await wait(2_000);
    } while (without.length > 0 && Date.now() < end);
    expect(without).toEqual([]);
  }, 90_000);
});
