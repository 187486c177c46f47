import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingChanges, type Json } from '../compat/breaking-changes.js';
import { rawAsk } from '../compat/raw-ask.js';
import { claim } from '../support/claim.js';
import type { AnyBody } from '../support/client.js';
import { OpenApiCheck } from '../support/openapi-check.js';
import { PROJECT } from '../support/project.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const ask = (target: string, token?: string | null) => rawAsk(running().client, target, token);
const find = (version: string, query = 'keyword=boston') => ask(`/cars/locations/${version}/?${query}`);
/** By breaking change, as breakingChanges words it: the field, the decision that says why its callers must adapt, and the releases before it. */
const exceptions = JSON.parse(readFileSync(join(PROJECT, 'releases', 'exceptions.json'), 'utf8')) as Readonly<
  Record<string, { readonly field: string; readonly decision: string; readonly releases: readonly string[] }>
>;
const released = (name: string) => JSON.parse(readFileSync(join(PROJECT, 'releases', name), 'utf8')) as Json;

describe('docs/versions.md', () => {
  const rows = readFileSync(join(PROJECT, 'docs', 'versions.md'), 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, path = '', status = '', version = ''] = /^\| `GET ([^`]+)` \| (\d{3}) \| ?(\S*) \|$/.exec(line) ?? [];
      return path === '' ? [] : [{ path, status: Number(status), version }];
    });

  test('shows every way to name a version', () => {
    expect(rows.length).toBeGreaterThan(10);
  });

  test.each(rows)('GET $path: $status by $version', async ({ path, status, version }) => {
    const answer = await ask(path.replace('{dates}', `pickup_date=${dayAhead(30)}&dropoff_date=${dayAhead(33)}`));
    expect([answer.status, answer.headers['x-api-version'] ?? '']).toEqual([status, version]);
  });
});

describe('Location Keyword Search v1.1 (spec §9.4)', () => {
  const locationsOf = (text: string) => (JSON.parse(text) as AnyBody).locations;

  test('v1.0.1 answers exactly as v1 was released', async () => {
    const { status, headers, text } = await find('v1.0.1');
    expect([status, locationsOf(text).length]).toEqual([200, 3]);
    const asReleased = new OpenApiCheck(released('openapi-v1.json') as never);
    asReleased.check({ method: 'GET', path: '/cars/locations/v1', status, contentType: headers['content-type'], text });
    expect(text).not.toContain('utc_offset');
  });

  test('v1.1 has every field of v1.0.1 unchanged, and utc_offset', async () => {
    const [before, after] = [await find('v1.0.1'), await find('v1.1')];
    const stripped = locationsOf(after.text).map(({ utc_offset, ...rest }) => {
      expect(['-05:00', '-04:00']).toContain(utc_offset);
      return rest;
    });
    expect(stripped).toEqual(locationsOf(before.text));
  });

  test('utc_offset is that of the counter, not of the server', async () => {
    const offsets = await Promise.all(['DXB', 'KEF'].map(async (keyword) => find('v1.1', `keyword=${keyword}`)));
    expect(offsets.map(({ text }) => locationsOf(text)[0]?.utc_offset)).toEqual(['+04:00', '+00:00']);
  });
});

describe('Location Keyword Search v1.2 (spec §9.4)', () => {
  test('v1.1 has the counters of a city as before, v1.2 three places with the other counters there', async () => {
    const [before, after] = [await find('v1.1', 'keyword=london'), await find('v1.2', 'keyword=london')];
    expect(before.text).not.toContain('same_place');
    const locations = (JSON.parse(after.text) as AnyBody).locations;
    expect(locations.map(({ iata_code }) => iata_code)).toEqual(['LHR', 'LGW', 'STN']);
    for (const { same_place, location_id } of locations) {
      expect(same_place?.length).toBeGreaterThan(0);
      expect(same_place?.map((other) => other.location_id)).not.toContain(location_id);
    }
  });
});

describe('a version in every place (rulings 14 and 20)', () => {
  test.each([
    ['availability by GET', vehiclesPath(), 200, 'v1'],
    ['availability by GET without version', vehiclesPath({}, '/cars/catalog/vehicles'), 200, 'v1'],
    ['an invalid request', '/cars/locations/v1/', 400, 'v1.2'],
    ['an unknown reservation, without version', '/cars/reservation/res_none', 404, 'v1'],
  ])('%s: %s answers %d by %s', async (_case, path, status, version) => {
    const answer = await ask(path);
    expect([answer.status, answer.headers['x-api-version'], answer.headers.deprecation]).toEqual([
      status,
      version,
      undefined,
    ]);
  });

  test('the absolute form of a request target (RFC 9112 §3.2.2) means the same', async () => {
    const answer = await ask('http://127.0.0.1/cars/locations/v1.0.1?keyword=boston');
    expect([answer.status, answer.headers['x-api-version']]).toEqual([200, 'v1.0.1']);
  });

  test('not subscribed: 403 for every public version, 404 for others', async () => {
    const token = await running().client.token('demo-unsubscribed');
    const statuses = await Promise.all(
      ['v1', 'v1.1', 'v1.0.1', 'v1.3', 'v9'].map((version) => ask(`/cars/locations/${version}`, token)),
    );
    expect(statuses.map(({ status }) => status)).toEqual([403, 403, 403, 404, 404]);
  });

  test('without a token, an existing and an unknown version look the same', async () => {
    for (const version of ['v1', 'v1.1', 'v1.3', 'v9']) {
      const answer = await ask(`/cars/locations/${version}`, null);
      expect([answer.status, answer.headers['x-api-version']]).toEqual([401, undefined]);
    }
  });

  test('a disguised path is the same 404 with and without a token', async () => {
    for (const token of [undefined, null])
      expect((await ask('/%63ars/locations/v1?keyword=boston', token)).status).toBe(404);
  });

  test.each(
    `//cars/locations/v1 /cars//locations/v1 /cars/locations//v1 /cars/locations/./v1 /cars/x/../locations/v1 /Cars/locations/v1
     /cars/locations/V1 /cars/locations/v01 /cars/locations/v1. /cars/locations/v1.1. /cars/locations/v1.0 /cars/locations/v1;x
     /cars/locations;v1 /cars/locations/v1/v1 /cars/locations/v1.1/v1 /cars/locations/v1/v1.1 /cars/locations%2Fv1 /cars/locations/v1%2F
     /cars/locations/v1%2e1 /cars/locations/%761 /%63ars/locations/v1 /cars/%6cocations/v1 /cars/locations/v1/%2e%2e/v1 /cars/catalog/v1/v1/vehicles
     /cars/catalog/%761/vehicles /cars/reservation/V1 /cars/reservation/v1/v1 /cars/reservation/v01/res_none /cars%2freservation/v1/res_none`.split(
      /\s+/,
    ),
  )('%s does not bypass the guards: 404 resource_failure', async (path) => {
    const answer = await ask(`${path}?keyword=boston`);
    expect([answer.status, answer.reasons]).toEqual([404, ['resource_failure']]);
  });

  test('the length limit of a URL applies both before and after its version is inserted', async () => {
    const long = (length: number) =>
      `/cars/locations?keyword=${'a'.repeat(length - '/cars/locations?keyword='.length)}`;
    expect([(await ask(long(2_001))).reasons, (await ask(long(2_000))).reasons]).toEqual([
      ['invalid_request'],
      ['invalid_range'],
    ]);
  });
});

describe('/metrics', () => {
  test('counts calls by product and version, and keeps one route for all versions of a major', async () => {
    await find('v1.0.1');
    const text = await running().gateway.metrics();
    const count = (version: string) =>
      Number(
        new RegExp(`version_calls_total\\{product="car_location_keyword_search",version="${version}"\\} (\\d+)`).exec(
          text,
        )?.[1],
      );
    expect([count('v1.0.1'), count('v1.1')].every((value) => value > 0)).toBe(true);
    const routes = [...text.matchAll(/route="(\/cars\/locations[^"]*)"/g)].map(([, route]) => route);
    expect([...new Set(routes)].filter((route) => !route?.endsWith('/:location_id'))).toEqual(['/cars/locations/v1']);
    expect(text).not.toMatch(/version="v(9|1\.3)"/);
  });
});

describe('compatibility within a major (spec §9 rules 4 to 7)', () => {
  const files = readdirSync(join(PROJECT, 'releases'))
    .map((name) => /^openapi-v(\d+)[\d.]*\.json$/.exec(name))
    .flatMap((match) => (match ? [{ name: match[0], major: Number(match[1]) }] : []));
  const newest = Math.max(...files.map(({ major }) => major));

  claim.each(files)(
    'API9',
    'The served description breaks no caller that relies on an earlier release.',
    'releases/$name',
    async ({ name, major }) => {
      const served = (await (await fetch(`${running().gateway.baseUrl}/openapi.json`)).json()) as Json;
      // A path without version means the newest major: earlier releases hold only the paths that name their own.
      const holds = (path: string): boolean => {
        // Not an operation of the API: metrics moved to a port of their own (decision 0024).
        if (path === '/metrics') return false;
        const named = /\/v(\d+)(\/|$)/.exec(path)?.[1];
        return (named === undefined ? newest : Number(named)) === major;
      };
      expect(breakingChanges(released(name), served, holds)).toEqual(
        Object.entries(exceptions)
          .filter(([change, { releases }]) => releases.includes(name) && holds(change.split(' ')[1] ?? ''))
          .map(([change]) => change),
      );
    },
  );

  test('an exception has a reason, and is in the documentation', () => {
    const page = readFileSync(join(PROJECT, 'docs', 'versions.md'), 'utf8');
    for (const [change, { field, decision }] of Object.entries(exceptions)) {
      expect([change.includes(field), page.includes(`\`${field}\``), page.includes(`decisions/${decision}`)]).toEqual([
        true,
        true,
        true,
      ]);
    }
  });
});
