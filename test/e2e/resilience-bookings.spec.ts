import { booked, create, driver, fresh, offerOf, on, QUICK, read, runSimulators } from '../support/booking.js';
import { Client } from '../support/client.js';
import { type Behaviour, type FakeSupplier, reply, startFakeSupplier } from '../support/fake-supplier.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

/**
 * Forwards a request to the supplier at `target`, and its answer back; cuts the connection if nothing listens there.
 */
const forwardTo =
  (target: string): Behaviour =>
  async (socket, request) => {
    const [head = '', body = ''] = request.split('\r\n\r\n', 2);
    const [line = '', ...lines] = head.split('\r\n');
    const [method = '', path = ''] = line.split(' ');
    const headers = lines
      .map((text): [string, string] => [
        text.slice(0, text.indexOf(':')).toLowerCase(),
        text.slice(text.indexOf(':') + 1).trim(),
      ])
      .filter(([name]) => !['host', 'connection', 'content-length'].includes(name));
    try {
      const answer = await fetch(`${target}${path}`, {
        method,
        headers,
        ...(body === '' ? {} : { body: Buffer.from(body, 'latin1') }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      reply(bytes, answer.headers.get('content-type') ?? '', `${answer.status} Passed on`)(socket, request);
    } catch {
      socket.destroy();
    }
  };

describe('a supplier whose bookings fail', () => {
  const simulators = runSimulators();
  let front: FakeSupplier;
  let gateway: Gateway;
  let client: Client;
  let sent = 0;
  beforeAll(async () => {
    front = await startFakeSupplier();
    const { alpine } = QUICK.suppliers;
    const breaker = { minCalls: 2, openMs: 60_000 };
    gateway = await startGateway({
      env: { ...simulators().env, SUPPLIER_ALPINE_URL: front.url },
      config: { ...QUICK, suppliers: { ...QUICK.suppliers, alpine: { ...alpine, resilience: { breaker } } } },
    });
    client = await Client.of(gateway);
  });
  afterAll(async () => {
    client.close();
    await gateway.stop();
    await front.close();
  });

  test('gets no further booking: an immediate 500 circuit_open, certainly not made, the same for its key; reads and cancellations work', async () => {
    const passOn = forwardTo(simulators().urls.alpine);
    front.behave(passOn);
    const offers = [await offerOf(client, 'alpine'), await offerOf(client, 'alpine'), await offerOf(client, 'alpine')];
    const [first, second, third] = offers.map(({ offer_id }) => ({ offer_id, driver: driver(fresh()) }));
    const { reservation_id } = await booked(client, first ?? {});
    front.behave((socket, request) => {
      const isBooking = request.includes('OTA_VehResRQ');
      if (isBooking) sent += 1;
      (isBooking ? reply('', 'text/plain', '503 Busy') : passOn)(socket, request);
    });
    expect((await create(client, second ?? {})).status).toBe(202);
    const key = fresh('key');
    const refused = [await create(client, third ?? {}, { key }), await create(client, third ?? {}, { key })];
    expect(refused.map(({ status, missing }) => [status, missing])).toEqual([
      [500, ['500 alpine circuit_open']],
      [500, ['500 alpine circuit_open']],
    ]);
    expect([refused[1]?.headers['idempotent-replayed'], sent]).toEqual(['true', 1]);
    expect(await simulators().bookings('alpine', third?.driver.last_name ?? '')).toEqual([]);
    expect((await read(client, reservation_id)).state).toBe('confirmed');
    expect((await on(client, 'DELETE', reservation_id)).status).toBe(204);
  });
});
