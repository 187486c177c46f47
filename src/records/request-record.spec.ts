import { expect, it } from '@jest/globals';
import { RequestTrace } from '../metrics/request-trace.js';
import { Warnings } from '../model/warnings.js';
import { recordOf } from './request-record.js';

it('a record says how old an answer from memory was', () => {
  const trace = new RequestTrace();
  const call = { brand: undefined, operation: 'searchVehicles', timeoutMs: 4_000, startedAt: 0, exchanges: [] };
  trace.begin({ ...call, supplier: 'kept', warnings: { list: [] }, shared: false, ageSeconds: 0 });
  trace.begin({ ...call, supplier: 'called', warnings: { list: [] }, shared: false });
  const request = { applicationId: 'app_a', at: 0, requestId: 'req_one', status: 200, durationMs: 1, trace };
  const record = recordOf({ ...request, startedAt: 0, budgetMs: 8_000 } as never, 'searchVehicles', () => true);
  expect(record.trace.calls.map(({ ageSeconds }) => ageSeconds)).toEqual([0, undefined]);
});

it('a record counts the warnings of each call by kind, and has none of their texts', () => {
  const trace = new RequestTrace();
  const begin = (supplier: string, warnings: Warnings) =>
    trace.begin({
      supplier,
      brand: undefined,
      operation: 'searchVehicles',
      timeoutMs: 4_000,
      startedAt: 0,
      exchanges: [],
      warnings,
      shared: false,
    });
  const warnings = new Warnings();
  begin('doubtful', warnings);
  begin('plain', new Warnings());
  // The answers come after the call began.
  warnings.add('row_dropped', 'text of a supplier');
  warnings.add('row_dropped', 'another text of a supplier', 2);
  warnings.add('contradiction', 'a third text of a supplier');
  const request = {
    applicationId: 'app_a',
    at: 0,
    requestId: 'req_one',
    status: 200,
    durationMs: 1,
    trace,
    startedAt: 0,
    budgetMs: 8_000,
  };
  const record = recordOf(request as never, 'searchVehicles', () => true);
  expect(record.trace.calls.map((call) => call.warnings)).toEqual([{ row_dropped: 3, contradiction: 1 }, undefined]);
  expect(JSON.stringify(record)).not.toContain('text of a supplier');
});
