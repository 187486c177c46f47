import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import type { VehicleSearch } from '../../model/offers.js';
import type { SupplierAnswer } from '../../model/supplier.js';
import { oneWarning, type Warning } from '../../model/warnings.js';
import { boundedAdapter } from './bounded-adapter.js';
import { ReadingQueue } from './reading-queue.js';
import type { Recording, Replayed } from './replay.js';
import { newTaskBegin } from './task-clock.js';
import replayTask, { type Task } from './worker.js';

const supplier: Task['supplier'] = {
  serial: 1,
  kind: 'abg',
  settings: {
    id: 'abg',
    name: 'ABG',
    brands: ['Avis'],
    credentials: { clientId: 'id', clientSecret: 'secret' },
    options: {},
  },
};
const question: VehicleSearch = {
  pickup: { iataCode: 'KSA', countryCode: 'GB' },
  dropoff: { iataCode: 'KSB', countryCode: 'GB' },
  pickupDate: '2027-05-01T10:00:00',
  dropoffDate: '2027-05-04T10:00:00',
  countryCode: 'GB',
  age: 30,
  brands: ['Avis'],
  sippCodes: [],
  discountCodes: [],
  loyalty: [],
  additionalDrivers: 0,
};
const context = { requestId: 'req_1', environment: 'sandbox', now: 0 } as const;
const begun: Recording = { operation: 'searchVehicles', question, context, calls: [] };
const body = readFileSync(new URL('../../adapters/abg/fixtures/vehicles-dirty.200.json', import.meta.url));

it('an answer read in a worker thread keeps its warnings', async () => {
  const first = await replayTask({ supplier, recording: begun, begun: newTaskBegin() });
  if (first.kind !== 'unfinished') throw new Error('the adapter made no call');
  const calls = first.calls.map(({ call }) => ({ call, ended: { answer: { status: 200, headers: {}, body } } }));
  const queue = new ReadingQueue(1, (task) => replayTask({ ...task, supplier, begun: newTaskBegin() }));
  const read = queue.readerOf(
    supplierConfigSchema.parse({ id: 'abg', name: 'ABG', adapter: 'abg', brands: ['Avis'], url: 'http://x.example' }),
  );
  const result = await read({ ...begun, calls }, {});
  if (result.kind !== 'answered') throw new Error(result.kind);
  const { warnings } = result.answer as SupplierAnswer<unknown>;
  expect(warnings).toContainEqual({ kind: 'row_dropped', text: 'vehicles[3] has no currency', times: 1 });
});

it('the engine receives the warnings of an answer, wherever it was read', async () => {
  const warned: Warning[] = [];
  const answer = { items: [], warnings: oneWarning('not_sent', 'no code') };
  const large = Buffer.alloc(100_000, ' ');
  const adapter = boundedAdapter(
    {
      brandsPerCall: 'many',
      searchVehicles: async (_request, { http }) => {
        await http.send({ method: 'GET', path: '/' });
        return answer;
      },
    },
    async (): Promise<Replayed> => ({ kind: 'answered', answer: { ...answer, warnings: oneWarning('notice', 'x') } }),
  );
  const search = (sent: Buffer) =>
    adapter.searchVehicles?.(question, {
      ...context,
      http: { send: async () => ({ status: 200, headers: {}, body: sent }) },
      warned: (warnings: readonly Warning[]) => void warned.push(...warnings),
    } as never);
  await search(Buffer.from('{}'));
  await search(large);
  expect(warned.map(({ kind }) => kind)).toEqual(['not_sent', 'notice']);
});
