import { afterEach, expect, it } from '@jest/globals';
import { type FakeSupplier, reply, startFakeSupplier } from '../../test/support/fake-supplier.js';
import { supplierConfigSchema } from '../config/supplier-config.schema.js';
import type { CallSpan } from '../metrics/request-trace.js';
import { addressOf } from './added-headers.js';
import { SupplierConnection } from './supplier-connection.js';

const SPAN: CallSpan = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  isSampled: true,
  address: 'x.example:443',
};
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The `traceparent` values that a supplier received in a call with this span. */
async function received(span: CallSpan | undefined, more: object = {}): Promise<readonly string[]> {
  const supplier: FakeSupplier = await startFakeSupplier();
  const { url } = supplier;
  const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url, ...more });
  const connection = new SupplierConnection(config, { brandsPerCall: 'many' }, url);
  closing.push(
    () => connection.close(),
    () => supplier.close(),
  );
  let request = '';
  supplier.behave((socket, text) => {
    request = text;
    reply('{}')(socket, text);
  });
  const call = connection.open('req_1', 'sandbox', {}, { operation: 'searchVehicles', endsAtMs: Infinity, span });
  await call.context.http.send({ method: 'GET', path: '/', headers: { accept: '*/*' } });
  return [...request.matchAll(/^traceparent: (.*)\r$/gim)].map(([, value = '']) => value);
}

it('a supplier gets the ids of the span of its call', async () => {
  expect(await received(SPAN)).toEqual(['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']);
});

it('a supplier gets none if the request is not traced, or if its file says so', async () => {
  expect(await received(undefined)).toEqual([]);
  expect(await received(SPAN, { traceparent: false })).toEqual([]);
});

it.each([
  ['https://api.x.example/base/', 'api.x.example:443'],
  ['http://api.x.example', 'api.x.example:80'],
  ['https://user:secret@api.x.example:8443/?key=1', 'api.x.example:8443'],
  ['http://[::1]:3001', '[::1]:3001'],
])('the address of %s has no path and no user', (url, address) => {
  expect(addressOf(url)).toBe(address);
});
