import { setTimeout as wait } from 'node:timers/promises';
import { assetPath } from '../../src/portal/shell/assets.js';
import { eventually } from '../support/booking.js';
import { claim } from '../support/claim.js';
import { ROOMY } from '../support/config-folder.js';
import { type FakeSupplier, startFakeSupplier } from '../support/fake-supplier.js';
import { answersIn, rawConnect, rawExchange } from '../support/raw-socket.js';
import { locationsPath, vehiclesPath } from '../support/rental.js';
import { runGateway } from '../support/run-gateway.js';

let supplier: FakeSupplier;
let elsewhere: FakeSupplier;
beforeAll(async () => {
  [supplier, elsewhere] = await Promise.all([startFakeSupplier(), startFakeSupplier()]);
});
afterAll(() => Promise.all([supplier.close(), elsewhere.close()]));

const running = runGateway(() => ({
  config: {
    tiers: ROOMY,
    onlyTheseSuppliers: true,
    suppliers: { uno: { name: 'Uno Cars', adapter: 'ota-xml', url: supplier.url, brands: ['Uno'] } },
  },
}));

claim.each([301, 302, 303, 307, 308])(
  ['API7', 'V15.3.2'],
  "A supplier's redirect is not followed, and the address it names is never called.",
  '%i',
  async (status) => {
    supplier.behave((socket) => {
      socket.write(`HTTP/1.1 ${status} Elsewhere\r\nlocation: ${elsewhere.url}/\r\ncontent-length: 0\r\n\r\n`);
    });
    const answer = await running().client.get(vehiclesPath());
    expect([answer.status, answer.reasons, elsewhere.requests()]).toEqual([500, ['supplier_failure'], 0]);
  },
);

claim(['API8', 'V13.4.4'], 'TRACE is answered with 404 and returns nothing of the request.', async () => {
  const request = `TRACE ${locationsPath('boston')} HTTP/1.1\r\nHost: x\r\nX-Secret: not-to-be-echoed\r\nConnection: close\r\n\r\n`;
  const [answer] = answersIn(await rawExchange(running().gateway.port, request));
  expect(answer?.status).toBe(404);
  expect(answer?.body).not.toContain('not-to-be-echoed');
});

claim.each(['/health/live', '/nowhere', '/openapi.json', locationsPath('boston')])(
  ['API8', 'V13.4.6'],
  'Responses reveal neither server nor framework.',
  '%s',
  async (path) => {
    const answer = await fetch(`${running().gateway.baseUrl}${path}`);
    const text = `${JSON.stringify([...answer.headers])}${path === '/openapi.json' ? '' : await answer.text()}`;
    for (const word of [/"server"/i, /x-powered-by/i, /fastify/i, /nest/i, /node\b/i]) expect(text).not.toMatch(word);
  },
);

claim(
  'API4',
  'A request has no place among those in progress once its answer is ready, however long its client takes to read it.',
  async () => {
    const { gateway } = running();
    const inProgress = async (): Promise<number> =>
      Number(/^forecourt_admission_running (\d+)/m.exec(await gateway.metrics())?.[1]);
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    const client = await rawConnect(gateway.port);
    // The first answers are more than the kernel takes, so the others wait in the gateway, for 5 s at most.
    client.pause().write(get('/openapi.json').repeat(14) + get(assetPath('uplot.js')).repeat(6));
    await wait(1_000);
    expect(await eventually(inProgress, (count) => count === 0, 3_000)).toBe(0);
    client.destroy();
  },
);
