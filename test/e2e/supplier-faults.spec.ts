import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { claim } from '../support/claim.js';
import { ROOMY } from '../support/config-folder.js';
import {
  type Behaviour,
  ENTITY_BOMB,
  type FakeSupplier,
  reply,
  replyOta,
  reset,
  startFakeSupplier,
} from '../support/fake-supplier.js';
import { dayAhead, locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

const SECRET_TEXT = 'SupplierInternalText-9911';
let one: FakeSupplier;
let two: FakeSupplier;

beforeAll(async () => {
  [one, two] = [await startFakeSupplier(), await startFakeSupplier()];
});
afterAll(async () => {
  await one.close();
  await two.close();
});

const ota = (name: string, brand: string, url: string, more: object = {}) => ({
  name,
  adapter: 'ota-xml',
  url,
  brands: [brand],
  // This tests the effect of single calls, not of many (resilience.timing.spec.ts).
  resilience: { breaker: { minCalls: 1_000_000 } },
  ...more,
});
const credentials = { clientId: '${DEEP_ID}', clientSecret: '${DEEP_SECRET}' };
const running = runGateway(() => ({
  config: {
    tiers: ROOMY,
    onlyTheseSuppliers: true,
    suppliers: {
      uno: ota('Uno Cars', 'Uno', one.url, { order: 1 }),
      due: ota('Due Cars', 'Due', two.url, { order: 2 }),
      metered: ota('Metered', 'Metered', two.url, { quota: { perSecond: 20 }, timeoutMs: { searchVehicles: 300 } }),
      deep: { ...ota('Deep', 'Deep', two.url), adapter: 'abg', credentials },
      inside: ota('Inside', 'Inside', `http://0.0.0.0:${new URL(two.url).port}`),
      metadata: ota('Metadata', 'Metadata', 'http://169.254.169.254'),
    },
  },
  env: { DEEP_ID: 'id', DEEP_SECRET: 'secret' },
}));

const EMPTY: Behaviour = (socket, request) => {
  const message = request.includes('OTA_VehLocSearchRQ') ? 'OTA_VehLocSearchRS' : 'OTA_VehAvailRateRS';
  replyOta(message, '<Success/>')(socket, request);
};
const ask = (path = vehiclesPath({ brand: 'Uno' })) => running().client.get(path);
const askFor = (brand: string) => ask(vehiclesPath({ brand }));

describe("a broken supplier's answer becomes one accurate entry", () => {
  claim.each<[string, Behaviour, string]>([
    ['an HTML page with 200', reply(`<html><body>${SECRET_TEXT}</body></html>`, 'text/html'), 'bad_payload'],
    ['JSON', reply(JSON.stringify({ error: SECRET_TEXT }), 'application/json'), 'bad_payload'],
    [
      'truncated XML',
      reply(
        `<OTA_VehAvailRateRS xmlns="http://www.opentravel.org/OTA/2003/05"><Success/><VehAvailRSCore><Rental>${SECRET_TEXT}`,
      ),
      'bad_payload',
    ],
    ['an empty body', reply(''), 'bad_payload'],
    ['an entity bomb', reply(ENTITY_BOMB), 'bad_payload'],
    [
      'an external entity',
      reply('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>'),
      'bad_payload',
    ],
    ['a different message than requested', replyOta('OTA_PingRS', '<Success/>'), 'bad_payload'],
    ['a 500 page', reply(SECRET_TEXT, 'text/plain', '500 Oops'), 'unavailable'],
    ['a 503', reply(SECRET_TEXT, 'text/plain', '503 Busy'), 'unavailable'],
    ['a 429', reply(SECRET_TEXT, 'text/plain', '429 Slow down'), 'throttled'],
    ['a 401', reply(SECRET_TEXT, 'text/plain', '401 Who'), 'rejected'],
    ['a reset', reset, 'unavailable'],
    ['a response that is not HTTP', (socket) => socket.end(`${SECRET_TEXT}\r\n\r\n`), 'unavailable'],
    [
      'an OTA error',
      replyOta(
        'OTA_VehAvailRateRS',
        `<Errors><Error Type="1" Code="450" ShortText="${SECRET_TEXT}">${SECRET_TEXT}</Error></Errors>`,
      ),
      'rejected',
    ],
  ])(
    ['API7', 'API10', 'suppliers', 'V16.5.1'],
    'An invalid, failed or hostile response of a supplier becomes an error entry that contains nothing of it.',
    '%s',
    async (_case, behaviour, cause) => {
      one.behave(behaviour);
      const answer = await ask();
      expect([answer.status, answer.missing]).toEqual([500, [`500 uno ${cause}`]]);
      expect(answer.errors[0]?.details).toContain('Uno Cars');
      expect(answer.text).not.toContain(SECRET_TEXT);
      expect(JSON.stringify(answer.headers)).not.toContain(SECRET_TEXT);
    },
  );

  test('a success without vehicles is empty, not failed: 404 no_results', async () => {
    one.behave(EMPTY);
    expect([(await ask()).reasons, (await ask(locationsPath('BOS', { brand: 'Uno' }))).reasons]).toEqual([
      ['no_results'],
      ['no_results'],
    ]);
  });

  claim(
    ['API10', 'suppliers'],
    'Impossible data, such as coordinates off the globe, fails only the supplier that sent it.',
    async () => {
      const counter = (latitude: string): string =>
        `<VehMatchedLocs><VehMatchedLoc><LocationDetail Code="X1" Name="Boston Pier"><Address><CityName>Boston</CityName><CountryName Code="US"/></Address>
       <AdditionalInfo/></LocationDetail><Position Latitude="${latitude}" Longitude="-71"/></VehMatchedLoc></VehMatchedLocs>`;
      const answer = (latitude: string) =>
        replyOta('OTA_VehLocSearchRS', `<Success/>${counter(latitude)}<Vendor>Uno</Vendor>`);
      one.behave(answer('999'));
      two.behave(answer('42.3'));
      const found = await ask(locationsPath('boston', { brand: 'Uno,Due' }));
      expect([200, 206]).toContain(found.status);
      expect(found.body.locations.map((location) => location.supplier)).toContain('due');
    },
  );

  claim(
    ['API4', 'API10', 'suppliers'],
    'A text of megabytes, compressed to kilobytes, fails only the supplier that sent it, and memory stays bounded.',
    async () => {
      const named = (name: string, cars: number): Behaviour => {
        const car =
          '<VehAvail><VehAvailCore Status="Available"><TotalCharge EstimatedTotalAmount="9" CurrencyCode="USD"/></VehAvailCore></VehAvail>';
        return replyOta(
          'OTA_VehAvailRateRS',
          `<Success/><VehAvailRSCore><VehVendorAvails><VehVendorAvail><VehAvails>${car.repeat(cars)}</VehAvails>
           <Info><LocationDetails Code="BOST1" Name="${name}"><Address><CountryName Code="US"/></Address></LocationDetails></Info>
           </VehVendorAvail></VehVendorAvails></VehAvailRSCore>`,
          'gzip',
        );
      };
      two.behave(named('Due at the pier', 1));
      const before = rssMegabytes();
      for (const length of [20_001, 60_000, 1_800_000, 6_000_000]) {
        one.behave(named('x'.repeat(length), 20));
        const answers = await Promise.all(Array.from({ length: 6 }, () => askFor('Uno,Due')));
        for (const answer of answers) {
          expect([answer.status, answer.missing]).toEqual([206, ['500 uno bad_payload']]);
          expect(answer.body.vehicles.map(({ supplier: id }) => id)).toEqual(['due']);
          expect(answer.text.length).toBeLessThan(10_000);
        }
      }
      expect(rssMegabytes() - before).toBeLessThan(150);
    },
  );

  claim(
    ['API4', 'suppliers'],
    "The response of a supplier is cut off at its size limit, and the gateway's memory stays bounded.",
    async () => {
      const chunk = Buffer.alloc(1_000_000, 'x');
      let sent = 0;
      one.behave((socket) => {
        sent = 0;
        socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/xml\r\ncontent-length: ${50 * chunk.length}\r\n\r\n`);
        const more = (): void => {
          while (sent < 50 && !socket.destroyed) {
            sent += 1;
            if (!socket.write(chunk)) {
              socket.once('drain', more);
              return;
            }
          }
        };
        more();
      });
      const before = rssMegabytes();
      for (let round = 0; round < 5; round += 1) expect((await ask()).missing).toEqual(['500 uno bad_payload']);
      expect(sent).toBeLessThan(50);
      expect(rssMegabytes() - before).toBeLessThan(150);
    },
  );
});

test('a caller that disconnects does not fail another that waits for the same supplier call', async () => {
  one.behave((socket, request) => setTimeout(() => EMPTY(socket, request), 250));
  const { client, gateway } = running();
  const path = vehiclesPath({ brand: 'Uno', pickup_location: 'LAX' });
  const token = await client.token();
  const before = one.requests();
  const arrived = one.nextRequest();
  const caller = connect(gateway.port, '127.0.0.1');
  caller.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await arrived;
  const second = client.get(path);
  setTimeout(() => caller.destroy(), 80);
  expect([(await second).reasons, one.requests()]).toEqual([['no_results'], before + 1]);
});

test('a supplier that fails every second call gets at most a quarter more calls than there are searches, and fewer searches fail than calls', async () => {
  let count = 0;
  one.behave((socket, request) => {
    count += 1;
    (count % 2 === 0 ? reply('', 'text/plain', '503 Busy') : EMPTY)(socket, request);
  });
  let failed = 0;
  for (let search = 0; search < 100; search += 1) if ((await ask()).status === 500) failed += 1;
  expect(count).toBeGreaterThan(100);
  expect(count).toBeLessThanOrEqual(125);
  expect(failed).toBeLessThan(count / 2);
});

test('a supplier with a quota gets no more calls than that over seconds; the rest is reported as throttled', async () => {
  two.behave(EMPTY);
  let [isOver, serial] = [false, 0];
  const seen: string[] = [];
  const asking = async (): Promise<void> => {
    while (!isOver) {
      serial += 1;
      const day = 30 + (serial % 100);
      const path = vehiclesPath({ brand: 'Metered', pickup_date: dayAhead(day), dropoff_date: dayAhead(day + 3) });
      seen.push(...(await ask(path)).missing);
      await wait(50);
    }
  };
  const before = two.requests();
  const startedAt = performance.now();
  const askers = Array.from({ length: 12 }, asking);
  await wait(2_500);
  isOver = true;
  const calls = two.requests() - before;
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(askers);
  expect(calls).toBeLessThanOrEqual(20 * seconds + 2);
  expect(calls).toBeGreaterThan(20 * 2.5 * 0.8);
  expect(new Set(seen)).toEqual(new Set(['404', '500 metered throttled']));
  // One line for each throttled search would bury the log; they are counted.
  expect(running().gateway.child.output()).not.toMatch(/became free in time|allow a call in time/);
  expect(await running().gateway.metrics()).toMatch(
    /^forecourt_supplier_refused_total\{supplier="metered",operation="searchVehicles",why="quota"\} [1-9]/m,
  );
});

test.each([
  ['Inside', '0.0.0.0'],
  ['Metadata', '169.254.169.254'],
])('does not connect to an address in a private network: %s, %s', async (brand, host) => {
  const before = two.requests();
  const answer = await askFor(brand);
  expect([answer.status, answer.missing]).toEqual([500, [`500 ${brand.toLowerCase()} unavailable`]]);
  await running().gateway.child.printed(`${host} is in a private network`);
  expect(two.requests()).toBe(before);
});

test('JSON nested a million levels deep is bad_payload, and the gateway keeps serving', async () => {
  const json = (text: string): Behaviour => reply(text, 'application/json');
  const nested = json(`{"vehicles":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`);
  const token = json(JSON.stringify({ access_token: 't', token_type: 'bearer', expires_in: 7_199 }));
  two.behave((socket, request) => (request.includes('/token') ? token : nested)(socket, request));
  expect((await askFor('Deep')).missing).toEqual(['500 deep bad_payload']);
  two.behave(EMPTY);
  expect((await askFor('Due')).reasons).toEqual(['no_results']);
});

claim(
  ['card-data', 'personal-data', 'suppliers', 'V16.2.1', 'V16.2.5'],
  'Log lines about suppliers name the request and the application, and mask card numbers and email addresses that suppliers say.',
  async () => {
    const said = 'card 4111 1111 1111 1111 of renter@example.com declined';
    one.behave(replyOta('OTA_VehAvailRateRS', `<Errors><Error Type="1" Code="450" ShortText="${said}"/></Errors>`));
    const path = vehiclesPath({ brand: 'Uno', pickup_location: 'SFO' });
    const { child } = running().gateway;
    const answer = await running().client.get(path, { headers: { 'x-request-id': 'req-of-the-log' } });
    expect(answer.missing).toEqual(['500 uno rejected']);
    await child.printed('declined');
    const lines = child
      .output()
      .split('\n')
      .filter((line) => line.includes('"supplier":'))
      .map((line) => JSON.parse(line) as Record<string, string>)
      // Alerts are about the calls of many requests.
      .filter(({ alert }) => alert === undefined);
    expect(lines.find(({ requestId }) => requestId === 'req-of-the-log')?.why).toContain(
      'card [card number] of [email] declined',
    );
    expect(lines.filter(({ requestId, application }) => !requestId || !application?.startsWith('app_'))).toEqual([]);
    expect(child.output()).not.toMatch(/4111 ?1111|renter@example/);
  },
);

function rssMegabytes(): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${running().gateway.child.pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
