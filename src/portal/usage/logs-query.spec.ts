import { describe, expect, it } from '@jest/globals';
import { cursorOf, cursorText, filterOf, isGrouped, logsQuery } from './logs-query.js';

const filter = (typed: Record<string, unknown>) => filterOf(logsQuery.parse(typed));

describe('request log filters', () => {
  it.each([
    ['206', [206, 206]],
    ['4xx', [400, 499]],
    [' 5XX ', [500, 599]],
    ['teapot', undefined],
    [['200', '206'], undefined],
  ])('status %j means %j', (status, range) => {
    expect(filter({ status }).status).toEqual(range);
  });

  it('reads times as UTC and includes the minute of `to`', () => {
    const { from, to } = filter({ from: '2027-05-01T10:00', to: '2027-05-01T10:00' });
    expect([from, to]).toEqual([Date.UTC(2027, 4, 1, 10, 0), Date.UTC(2027, 4, 1, 10, 1)]);
  });

  it('ignores empty or invalid values', () => {
    expect(filter({ id: '', operation: '', from: 'yesterday', to: '2027-13-01T10:00' })).toEqual({});
  });

  it('reads back the cursors it writes, including ids with dots, and ignores anything else', () => {
    const cursor = { at: 1_700_000_000_123, requestId: 'my.own.id-1' };
    expect(cursorOf(cursorText(cursor))).toEqual(cursor);
    expect([cursorOf('x'), cursorOf('12'), cursorOf(undefined)]).toEqual([undefined, undefined, undefined]);
  });

  it.each([
    [{}, true],
    [
      { status: '5xx', operation: 'searchVehicles', supplier: 'bravo', application: 'app_a', from: '2027-05-01T10:00' },
      true,
    ],
    [{ cause: 'timeout' }, false],
    [{ id: 'one' }, false],
    [{ scenario: 'bravo' }, false],
    [{ reservation: 'res_1' }, false],
    [{ before: '1.x' }, false],
  ])('%j groups errors: %p', (typed, expected) => {
    expect(isGrouped(logsQuery.parse(typed))).toBe(expected);
  });
});
