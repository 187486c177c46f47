import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { configSchema } from '../config/config.schema.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { BookingKey, SupplierBooking } from '../model/bookings.js';
import type { SupplierContext } from '../model/supplier.js';
import { SupplierCalls } from '../suppliers/supplier-call.js';
import { SupplierConnection } from '../suppliers/supplier-connection.js';
import { BookingLookup } from './booking-lookup.js';
import { reservationIn } from './fixtures/sample-reservation.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What is found of an unknown booking, if the supplier's adapter reads `items` in its answer. */
async function findingFor(
  answer: (reference: string) => string,
  confirmationNumber?: string,
  items: readonly SupplierBooking[] = [],
): Promise<string> {
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
        return { items, warnings: [] };
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

it('a booking found by its number in an answer that names another reservation is unclear, and so is its absence', async () => {
  const other = 'res_z2z2z2z2z2z2z2z2z2z2';
  const booking: SupplierBooking = { status: 'rejected', confirmationNumber: 'AL1', ref: {} };
  for (const items of [[booking], []]) {
    const what = items.length > 0 ? 'found' : 'absent';
    expect(await findingFor(() => `{"number":"AL1","agent_ref":"${other}"}`, 'AL1', items)).toBe('unclear');
    expect(await findingFor((own) => `{"agent_ref":"${own}","replaces":"${other}"}`, 'AL1', items)).toBe(what);
    expect(await findingFor(() => '{"number":"AL1","agent_ref":"Q-7781"}', 'AL1', items)).toBe(what);
  }
  // A list of the renter's reservations may have others.
  expect(await findingFor(() => `{"list":[{"agent_ref":"${other}"}]}`)).toBe('absent');
});

it('by reference, a supplier may find the booking under another number than the one that is known', async () => {
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'] });
  const asked: (readonly (string | undefined)[])[] = [];
  const retrieve = async ({ confirmationNumber, formerNumber }: BookingKey) => {
    asked.push([confirmationNumber, formerNumber]);
    return { items: [], warnings: [] };
  };
  const booking = { findsByReference: true } as NonNullable<SupplierConnection['adapter']['booking']>;
  const connection = new SupplierConnection(config, { brandsPerCall: 'many', retrieve, booking }, 'http://127.0.0.1:9');
  closing.push(() => connection.close());
  const calls: Pick<SupplierCalls, 'call'> = {
    call: async (of, _operation, _context, run) => run(of.connection.adapter, {} as SupplierContext),
  };
  const lookup = new BookingLookup(calls as SupplierCalls, { aheadMs: () => 0 }, pino({ level: 'silent' }));
  const supplier = { id: 'uno', name: 'Uno', config, connection };
  const reservation = reservationIn('confirmed', { confirmationNumber: 'AL1' });
  await lookup.findPresent(reservation, supplier);
  await lookup.listed(reservation, supplier);
  await lookup.findByReference(reservation, supplier);
  await lookup.find(reservationIn('unknown', {}), supplier);
  expect(asked).toEqual([
    ['AL1', undefined],
    [undefined, 'AL1'],
    [undefined, 'AL1'],
    [undefined, 'AL1'],
    [undefined, undefined],
  ]);
});
