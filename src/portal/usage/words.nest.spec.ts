import { describe, expect, it } from '@jest/globals';
import type { OwnApplication } from '../../auth/own-applications.js';
import { didOf, meaningOf, nextStep } from './causes.js';
import { chosenIds } from './chosen-ids.js';
import { count, ms, operationName, RECORDED_OPERATIONS, share, statusWords } from './words.js';

describe('words of the usage pages', () => {
  it.each([
    [206, 'partial', 'Partial response'],
    [499, '', 'Client disconnected'],
    [203, 'good', 'Answered'],
    [418, 'bad', 'Failed'],
    [502, 'bad', 'Failed'],
  ])('status %i', (status, tone, text) => {
    expect(statusWords(status)).toEqual({ tone, text });
  });

  it('numbers', () => {
    expect([count(12_345.4), ms(9.96), ms(-3.14), ms(10.4), ms(4_000)]).toEqual([
      '12,345',
      '10 ms',
      '-3.1 ms',
      '10 ms',
      '4,000 ms',
    ]);
    expect([share(1, 3), share(0, 7), share(0, 0)]).toEqual(['33.3%', '0%', '–']);
  });

  it('an operation of an earlier release keeps its id', () => {
    expect(operationName('searchBoats')).toBe('searchBoats');
    expect(operationName('searchVehicles')).not.toBe('searchVehicles');
    expect(RECORDED_OPERATIONS.map(([id]) => id)).toContain('searchVehicles');
  });

  it('the cause of an entry decides what to do, else its reason', () => {
    const [byCause, byReason, unknown] = [
      nextStep({ reason: 'supplier_failure', cause: 'timeout' }),
      nextStep({ reason: 'throttled' }),
      nextStep({ reason: 'gone_fishing' }),
    ];
    expect(unknown).toBe('See the list of errors in the docs.');
    expect(new Set([byCause, byReason, unknown]).size).toBe(3);
    expect([didOf('gone_fishing'), meaningOf('gone_fishing')]).toEqual(['failed', '']);
    expect(didOf('timeout')).not.toBe('failed');
  });
});

describe('the applications of the usage page', () => {
  const own = ['app_a', 'app_b'].map((id) => ({ id }) as OwnApplication);

  it.each([
    ['app_b', ['app_b']],
    ['', ['app_a', 'app_b']],
    [undefined, ['app_a', 'app_b']],
    ['app_of_another_account', ['app_a', 'app_b']],
  ])('chosen: %j → %j', (chosen, ids) => {
    expect(chosenIds(own, chosen)).toEqual(ids);
  });
});
