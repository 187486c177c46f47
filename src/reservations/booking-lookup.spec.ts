import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { BookingLookup } from './booking-lookup.js';
import { reservationIn } from './fixtures/sample-reservation.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What is found of an unknown booking, if the supplier's adapter can't read any in its answer. */
async function findingFor(answer: (reference: string) => string, confirmationNumber?: string): Promise<string> {
  const reservation = reservationIn('unknown', confirmationNumber === undefined ? {} : { confirmationNumber });
  const server = createServer((_request, response) => response.end(answer(reservation.id))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url });
  const connection = new SupplierConnection(
    config,
    {
      brandsPerCall: 'many',
      retrieve: async (_key, { http }) => {
        await http.send({ method: 'GET', path: '/' }, true);
        return { items: [], warnings: [] };
      },
    },
    url,
  );
  closing.push(
    () => connection.close(),
    () => server.close(),
  );
  const observer = { settled: () => undefined, cutOff: () => undefined };
  const calls = new SupplierCalls(configSchema.parse({}), observer);
  const lookup = new BookingLookup(calls, { aheadMs: () => 0 }, pino({ level: 'silent' }));
  return (await lookup.find(reservation, { id: 'uno', name: 'Uno', config, connection })).kind;
}

it('an answer that names the reservation, but has no booking that can be read, does not prove its absence', async () => {
  expect(await findingFor((reference) => `{"others":[{"reference":"${reference}"}]}`)).toBe('unclear');
  expect(await findingFor((reference) => `{"detail":"no booking ${reference}"}`)).toBe('absent');
  expect(await findingFor(() => '{}')).toBe('absent');
  expect(await findingFor((reference) => `{"error":4004,"agent_ref":"${reference}"}`, 'AL1')).toBe('absent');
});
