import { expect, it } from '@jest/globals';
import { configSchema } from '../../config/config.schema.js';
import { supplierConfigSchema } from '../../config/supplier-config.schema.js';
import { RequestContext } from '../../context/request-context.js';
import { type Operation, SupplierError } from '../../model/supplier.js';
import type { Scenario } from '../../sandbox/scenario.js';
import { SupplierCalls } from '../supplier-call.js';
import { SupplierConnection } from '../supplier-connection.js';
import { LookToBook } from './look-to-book.js';

const url = 'http://127.0.0.1:9';
const config = supplierConfigSchema.parse({ id: 'uno', name: 'Uno', adapter: 'fake', brands: ['Uno'], url });
const ignore = (): void => undefined;

it('only a booking that the supplier made counts for the look-to-book ratio', async () => {
  const lookToBook = new LookToBook({ ratio: 10, windowHours: 1 }, { moved: ignore, refused: ignore });
  const connection = new SupplierConnection(config, { brandsPerCall: 'many' }, url, { lookToBook });
  const calls = new SupplierCalls(configSchema.parse({}), { settled: ignore, cutOff: ignore });
  const call = (operation: Operation, error?: Error, scenario?: Scenario): Promise<void> => {
    const context = new RequestContext('req_1', 0);
    if (scenario) context.useScenario(scenario);
    const run = async () => {
      if (error) throw error;
    };
    return calls.call({ id: 'uno', name: 'Uno', config, connection }, operation, context, run).catch(ignore);
  };
  for (let searches = 0; searches < 10; searches += 1) lookToBook.searching(`acc_${searches}`);
  await call('priceCheck');
  await call('cancel');
  await call('book', new SupplierError('rejected', 'sold out'));
  await call('book', undefined, { bookingDirective: ignore } as unknown as Scenario);
  await call('book');
  expect(lookToBook.used).toBe(1);
  await call('book');
  expect(lookToBook.used).toBe(0.5);
  await connection.close();
});
