import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedRoutes } from '../../src/system/openapi.js';
import { claim } from '../support/claim.js';
import { locationsPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

/** Paths without a version are served once a version is Live; these products are in Beta (ruling 20). */
const UNVERSIONED_BETA = [
  '/cars/places',
  '/cars/suppliers',
  '/cars/suppliers/{supplier_id}',
  '/cars/vehicles',
  '/cars/vehicles/{sipp_code}',
];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const running = sharedGateway();

describe('/openapi.json', () => {
  const isServed = async (method: string, path: string): Promise<boolean> => {
    const response = await fetch(`${running().gateway.baseUrl}${path}`, { method });
    const text = await response.text();
    return !(response.status === 404 && text.includes('There is no '));
  };

  test('is OpenAPI 3.1 and describes what describedRoutes() returns', async () => {
    const document = (await (await fetch(`${running().gateway.baseUrl}/openapi.json`)).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toMatch(/^3\.1\./);
    const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.sort()).toEqual([...describedRoutes()].sort());
  });

  claim(
    ['API5', 'API9', 'V4.1.4'],
    'Every described operation is served, and no other method of its path except HEAD and OPTIONS.',
    async () => {
      const routes = describedRoutes().map((route) => route.split(' '));
      const described = new Set(routes.map(([, path = '']) => path));
      // A fixed path is also one of a path with a parameter in that place.
      const isDescribed = (method: string, path: string) =>
        routes.some(
          ([one, template = '']) =>
            one === method && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path),
        );
      const wrong: string[] = [];
      for (const path of described) {
        if (UNVERSIONED_BETA.includes(path)) continue;
        for (const method of METHODS) {
          // The paths of head-and-options.ts answer OPTIONS, which the document doesn't describe.
          const isExpected =
            method === 'OPTIONS' ? /^\/(cars|images|health|openapi)/.test(path) : isDescribed(method, path);
          if ((await isServed(method, path)) !== isExpected) wrong.push(`${method} ${path}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  claim('API9', 'Every route that answers requests of the API is in its published description.', async () => {
    const { gateway } = running();
    const metrics = await gateway.metrics();
    const described = new Set(describedRoutes().map((route) => route.split(' ')[1]));
    // Other specs have called pages, and the endpoint for agents, which describes itself.
    const ofApi = new Set([...described].map((path = '') => path.split('/')[1]));
    const routes = [...metrics.matchAll(/route="([^"]+)"/g)]
      .map((match) => (match[1] ?? '').replace(/(.)\/$/, '$1').replace(/:(\w+)/g, '{$1}'))
      .filter((route) => ofApi.has(route.split('/')[1]) && !route.endsWith('/mcp'));
    expect(routes.length).toBeGreaterThan(0);
    expect(routes.filter((route) => !described.has(route))).toEqual([]);
  });
});

describe('/metrics and the log', () => {
  test("are not on the callers' port; their own port serves nothing else", async () => {
    const { client, gateway } = running();
    for (const path of ['/metrics', '/metrics/', '//metrics', '/%6detrics'])
      expect((await client.get(path, { token: null })).status).toBe(404);
    const { urls } = JSON.parse(readFileSync(join(gateway.dataFolder, 'first-steps.json'), 'utf8')) as {
      urls: { metrics: string };
    };
    const { origin, hostname, port } = new URL(urls.metrics);
    expect([hostname, port === String(gateway.port)]).toEqual(['127.0.0.1', false]);
    const answers = await Promise.all(['/', '/health/live', '/openapi.json'].map((path) => fetch(`${origin}${path}`)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(await answers[0]?.json()).toMatchObject({ status: { errors: [{ reason: 'resource_failure' }] } });
  });

  test('/metrics counts requests and supplier calls and contains no value from a caller', async () => {
    const { client, gateway } = running();
    await client.get(locationsPath('Springfield-Callers-Word'), { headers: { 'x-request-id': 'callers-own-id-77' } });
    await client.get('/callers/own/path');
    const metrics = await gateway.metrics();
    const lines = metrics.split('\n');
    const counts = (name: string, ...labels: string[]) =>
      lines.filter((line) => line.startsWith(`${name}_count`) && labels.every((label) => line.includes(label)));
    expect(counts('forecourt_request_seconds', 'route="/cars/locations/v1"', 'status="404"')).toHaveLength(1);
    expect(
      counts('forecourt_supplier_seconds', 'supplier="alpine"', 'operation="searchLocations"', 'outcome="empty"'),
    ).toHaveLength(1);
    expect(lines.filter((line) => /springfield|callers|fc_s_/i.test(line))).toEqual([]);
  });

  claim(['operation', 'V16.2.5'], 'No token or client secret appears in log lines or metrics.', async () => {
    const { client, gateway } = running();
    const token = await client.token();
    const { client_secret } = gateway.credentials();
    const text = gateway.child.output() + (await gateway.metrics());
    expect(text).not.toContain(token);
    // The block for newcomers prints the demo secret once; log lines are JSON.
    expect(
      text
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .join('\n'),
    ).not.toContain(client_secret);
  });

  claim(
    ['operation', 'V16.2.1'],
    'Each request has one log line with its id, route, status and application.',
    async () => {
      const { client, gateway } = running();
      await client.get(locationsPath('boston'), { headers: { 'x-request-id': 'one-line-please' } });
      await gateway.child.printed('one-line-please');
      const lines = gateway.child
        .output()
        .split('\n')
        .filter((line) => line.includes('one-line-please'));
      expect(lines).toHaveLength(1);
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({
        route: '/cars/locations/v1',
        method: 'GET',
        status: 200,
        application: 'app_demo',
      });
    },
  );

  test('health: live and ready report what is up', async () => {
    const ready = await running().client.get('/health/ready', { token: null });
    const parts = { store: 'up', database: 'up', clock: 'right', draining: false };
    expect([ready.status, ready.body]).toEqual([200, { state: 'ready', ...parts }]);
    expect((await running().client.get('/health/live', { token: null })).body).toEqual({ state: 'live' });
  });
});
