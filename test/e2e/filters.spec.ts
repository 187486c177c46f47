import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startChild } from '../support/child.js';
import { claim } from '../support/claim.js';
import type { AnyBody } from '../support/client.js';
import { PROJECT } from '../support/project.js';
import { dayAhead, vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const search = async (changes: Record<string, string>): Promise<AnyBody> => {
  const answer = await running().client.get(vehiclesPath({ max_results: '1000', pickup_location: 'FRA', ...changes }));
  expect([200, 206]).toContain(answer.status);
  return answer.body;
};
const countsOf = (body: AnyBody, name: 'payment' | 'category' | 'supplier') =>
  Object.fromEntries(body.facets?.[name]?.values.map(({ value, count }) => [value, count]) ?? []);

test('filters on facts of an offer hold for every offer, and are echoed', async () => {
  const until = dayAhead(29);
  const body = await search({
    category: 'compact,intermediate',
    air_conditioning: 'true',
    doors_min: '4',
    bags_large_min: '1',
    payment: 'pay_later',
    distance_included_min_km: '500',
    free_cancellation_until: until,
    supplier: 'alpine,dune',
  });
  expect(body.vehicles.length).toBeGreaterThan(0);
  expect(new Set(body.suppliers.map(({ supplier }) => supplier))).toEqual(new Set(['alpine', 'dune']));
  for (const { supplier, vehicle, rate, cancellation } of body.vehicles) {
    expect(['alpine', 'dune']).toContain(supplier);
    expect(['compact', 'intermediate']).toContain(vehicle.sipp?.category);
    expect([Number(vehicle.doors) >= 4, (vehicle.bags_large ?? 0) >= 1]).toEqual([true, true]);
    expect(rate.payment).toBe('pay_later');
    expect((cancellation.free_until ?? '') >= until).toBe(true);
  }
  expect(body.request).toMatchObject({ category: ['compact', 'intermediate'], supplier: ['alpine', 'dune'] });
});

test('facets are the numbers of offers, and each ignores its own filter', async () => {
  const all = await search({ facets: 'payment,supplier' });
  const paid = await search({ facets: 'true', payment: 'pay_now' });
  const counted = (offers: AnyBody['vehicles'], of: (offer: AnyBody['vehicles'][number]) => string) =>
    Object.fromEntries(
      [...new Set(offers.map(of))].map((value) => [value, offers.filter((one) => of(one) === value).length]),
    );
  expect(Object.keys(all.facets ?? {})).toEqual(['supplier', 'payment']);
  expect(countsOf(all, 'payment')).toEqual(counted(all.vehicles, ({ rate }) => rate.payment));
  expect(countsOf(paid, 'payment')).toEqual(countsOf(all, 'payment'));
  expect(countsOf(paid, 'supplier')).toEqual(counted(paid.vehicles, ({ supplier }) => supplier));
  const totals = paid.vehicles
    .filter(({ price }) => price.total.currency === 'EUR')
    .map(({ price }) => Number(price.total.amount));
  const range = paid.facets?.price?.find(({ currency }) => currency === 'EUR');
  expect([Number(range?.min), Number(range?.max)]).toEqual([Math.min(...totals), Math.max(...totals)]);
});

test('group_by=car has every offer once, the cheapest of each group first, by GET and POST', async () => {
  const flat = await search({});
  const { groups = [], ...grouped } = await search({ group_by: 'car' });
  expect([grouped.vehicles, grouped.vehicles_found]).toEqual([[], flat.vehicles_found]);
  const offers = groups.flatMap(({ offer, alternatives }) => [offer, ...alternatives]);
  expect([offers.length, groups.length]).toEqual([flat.vehicles.length, grouped.groups_found]);
  expect(groups.filter(({ alternatives }) => alternatives.length > 0).length).toBeGreaterThan(10);
  for (const { offer, alternatives, matched_by } of groups) {
    expect(matched_by.length > 0).toBe(alternatives.length > 0);
    for (const other of alternatives) {
      expect([other.vehicle.sipp_code, other.rate.payment]).toEqual([offer.vehicle.sipp_code, offer.rate.payment]);
      expect(Number(other.price.total.amount)).toBeGreaterThanOrEqual(Number(offer.price.total.amount));
    }
  }
  const few = await running().client.post('/cars/catalog/v1/vehicles', {
    pickup_location: 'FRA',
    pickup_date: dayAhead(30),
    dropoff_date: dayAhead(33),
    max_results: 5,
    group_by: 'car',
    facets: true,
  });
  expect(few.body.groups?.flatMap(({ offer, alternatives }) => [offer, ...alternatives])).toHaveLength(5);
  expect(few.body.facets).toBeDefined();
});

test('bad values get a 400 per field that lists what is allowed; streaming has no facets or groups', async () => {
  const { client } = running();
  const bad = await client.get(
    vehiclesPath({ supplier: 'acme', facets: 'colour', category: 'huge', group_by: 'size' }),
  );
  expect([bad.status, bad.errors.map(({ field }) => field).sort()]).toEqual([
    400,
    ['category', 'facets', 'group_by'].sort(),
  ]);
  const unknown = await client.get(vehiclesPath({ supplier: 'acme', free_cancellation_until: dayAhead(31) }));
  expect(unknown.errors.map(({ field, details }) => [field, details])).toEqual([
    ['supplier', expect.stringContaining('Use one of abg, ')],
    ['free_cancellation_until', expect.stringContaining('pickup_date')],
  ]);
  const streamed = await client.get(vehiclesPath({ facets: 'true', group_by: 'car' }), {
    headers: { accept: 'application/x-ndjson' },
  });
  expect([streamed.status, streamed.errors.map(({ field }) => field)]).toEqual([400, ['facets', 'group_by']]);
});

test('a metropolitan code searches all its airports, and an offer of each can be priced', async () => {
  const { client } = running();
  const found = await client.get(vehiclesPath({ pickup_location: 'lon', max_results: '1000' }));
  const airports = ['LHR', 'LGW', 'STN', 'LTN', 'LCY', 'SEN'];
  expect(found.body.request).toMatchObject({ pickup_location: 'LON', pickup_airports: airports });
  const marked = new Set(found.body.vehicles.map(({ pickup }) => pickup.location.iata_code));
  expect([...marked].filter((code) => !airports.includes(code ?? ''))).toEqual([]);
  expect(marked.size).toBeGreaterThanOrEqual(3);
  expect(new Set(found.body.suppliers.map(({ supplier }) => supplier)).size).toBe(found.body.suppliers.length);
  for (const code of marked) {
    const offer = found.body.vehicles.find(({ pickup }) => pickup.location.iata_code === code);
    expect(offer?.dropoff.location.iata_code).toBe(code);
    const priced = await client.post('/cars/catalog/v1/vehicles/rates', { offer_id: offer?.offer_id });
    expect([code, priced.status, priced.body.quote?.offer.pickup.location.iata_code]).toEqual([code, 200, code]);
  }
  const lines = await client.get(vehiclesPath({ pickup_location: 'LON' }), {
    headers: { accept: 'application/x-ndjson' },
  });
  expect([lines.status, lines.errors[0]?.details]).toEqual([400, expect.stringContaining('LHR, LGW')]);
  const returned = await client.get(vehiclesPath({ dropoff_location: 'LON' }));
  expect([returned.status, returned.errors.map(({ field }) => field)]).toEqual([400, ['dropoff_location']]);
});

claim(
  'API4',
  "An account's applications run four searches of several airports at a time; a search of one airport isn't held up.",
  async () => {
    const { client } = running();
    const ask = async (pickup_location: string): Promise<string> => {
      const options = { headers: { 'x-sandbox-scenario': '*=timeout' } };
      const { status, errors } = await client.get(vehiclesPath({ pickup_location }), options);
      return `${status} ${errors.at(-1)?.details?.slice(0, 40)}`;
    };
    const [one, ...several] = await Promise.all([ask('BOS'), ...Array.from({ length: 5 }, () => ask('LON'))]);
    const answered = one?.replace(/ .*/, '');
    expect(answered).toBe('500');
    expect(several.map((text) => text.slice(0, 3)).sort()).toEqual(['429', '500', '500', '500', '500']);
    expect(several.find((text) => text.startsWith('429'))).toContain('The account already runs');
  },
);

test('the commands of docs/filters.md have the answers that the page shows', async () => {
  const page = (name: string) => readFileSync(join(PROJECT, name), 'utf8');
  const readme = page('README.md');
  const token = /<!-- test:token -->\s*```sh\n([\s\S]*?)```/.exec(readme)?.[1];
  const dates = readme
    .match(/^(?:PICKUP|DROPOFF)=.*$/gm)
    ?.slice(0, 2)
    .join('\n');
  const commands = [...page('docs/filters.md').matchAll(/```sh\n([\s\S]*?)```/g)].map(([, command]) => command);
  const shell = startChild('bash', ['-c', `set -eu\n${token}\n${dates}\n${commands.join('\necho\n')}`], {
    cwd: PROJECT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', DATA_DIR: running().gateway.dataFolder },
  });
  expect([await shell.exited, commands.length]).toEqual([0, 2]);
  const [facets, groups] = shell
    .output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as AnyBody);
  expect(Object.keys(facets?.facets ?? {})).toEqual(['price', 'transmission', 'payment']);
  expect(facets?.vehicles).toHaveLength(1);
  expect(groups?.groups?.some(({ alternatives }) => alternatives.length > 0)).toBe(true);
});
