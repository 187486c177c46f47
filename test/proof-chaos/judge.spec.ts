import { describe, expect, it } from '@jest/globals';
import type { BookEntry } from '../proof/evidence.js';
import { CELLS, MARGIN_MS, OPERATIONS, PARTS, recoveryMs } from './cells.js';
import { FAULTS } from './fault-proxy.js';
import { findings, judgeLedger, type Observed } from './judge.js';

const cellOf = (name: string) => {
  const found = CELLS.find(({ part, fault, operation }) => `${part} ${fault} ${operation}` === name);
  if (!found) throw new Error(name);
  return found;
};
const booking = cellOf('supplier one-way loss book');
const good: Observed = {
  answer: '202 unknown',
  ms: 2_040,
  recoveredMs: 300,
  aftermath: { bookings: 1, state: 'confirmed', again: '202 unknown', total: 1 },
};
const aftermath = (changes: Partial<NonNullable<Observed['aftermath']>>): Observed => ({
  ...good,
  aftermath: { bookings: 1, state: 'confirmed', again: '202 unknown', total: 1, ...changes },
});

it('there is one cell for each part, fault and operation, and an aftermath for each booking', () => {
  const names = CELLS.map(({ part, fault, operation }) => `${part} ${fault} ${operation}`);
  expect(new Set(names).size).toBe(PARTS.length * Object.keys(FAULTS).length * OPERATIONS.length);
  expect(names).toHaveLength(63);
  expect(CELLS.filter(({ operation, aftermath: then }) => (operation === 'book') !== (then !== undefined))).toEqual([]);
});

describe('the judge of a cell', () => {
  it('finds nothing if everything is as expected, and tolerates a busy machine', () => {
    expect(findings(booking, good)).toEqual([]);
    const ms = booking.withinMs + MARGIN_MS;
    expect(findings(booking, { ...good, ms, recoveredMs: recoveryMs(booking) + MARGIN_MS })).toEqual([]);
  });

  it.each<[string, Observed]>([
    ['answer: 201 confirmed, expected 202 unknown', { ...good, answer: '201 confirmed' }],
    ['answered: after 4501 ms, expected within 2500 ms', { ...good, ms: 4_501 }],
    ['recovered: after 4001 ms, expected within 2000 ms', { ...good, recoveredMs: 4_001 }],
    ['recovered: after Infinity ms, expected within 2000 ms', { ...good, recoveredMs: Number.POSITIVE_INFINITY }],
    ['state: failed, expected confirmed', aftermath({ state: 'failed' })],
    ['same key again: 201 confirmed, expected 202 unknown', aftermath({ again: '201 confirmed' })],
    ['bookings: 0, expected 1', aftermath({ bookings: 0 })],
    ['bookings in the end: 2, expected 1', aftermath({ total: 2 })],
  ])('finds %s', (finding, observed) => {
    expect(findings(booking, observed)).toEqual([finding]);
  });

  it('finds a booking that a repeated key did not make, or made twice', () => {
    const cell = cellOf('Redis reset book');
    const played = (total: number): Observed => ({
      ...{ answer: '503 store_unavailable', ms: 1, recoveredMs: 1 },
      aftermath: { bookings: 0, state: 'none', again: '201 confirmed', total },
    });
    expect([1, 0, 2].map((total) => findings(cell, played(total)))).toEqual([
      [],
      ['bookings in the end: 0, expected 1'],
      ['bookings in the end: 2, expected 1'],
    ]);
  });

  it('finds that nothing is known of a booking', () => {
    const { aftermath: _none, ...rest } = good;
    expect(findings(booking, rest)).toHaveLength(4);
  });
});

describe('the judge of the books', () => {
  const entry = (confirmation: string, reference: string, status = 'confirmed'): BookEntry => ({
    ...{ confirmation, reference, status, createdAt: 0 },
  });
  const row = (id: string, state = 'confirmed', number: string | null = 'A1') => ({ id, state, number });
  const none = { doubled: [], lost: [], wrong: [], unresolved: [] };

  it.each([
    ['a confirmed one', [entry('A1', 'res_a')], [row('res_a')], {}],
    ['a failed one', [entry('A1', 'res_a', 'cancelled')], [row('res_a', 'failed', null)], {}],
    [
      'a second one',
      [entry('A1', 'res_a'), entry('A2', 'res_a')],
      [row('res_a')],
      { doubled: ['res_a'], lost: ['A2'] },
    ],
    ['one without a reservation', [entry('A1', 'res_a')], [], { lost: ['A1'] }],
    ['one of a failed reservation', [entry('A1', 'res_a')], [row('res_a', 'failed')], { lost: ['A1'] }],
    ['one with another number', [entry('A2', 'res_a')], [row('res_a')], { lost: ['A2'], wrong: ['res_a'] }],
    ['a reservation without a booking', [], [row('res_a')], { wrong: ['res_a'] }],
    ['one in manual review', [], [row('res_a', 'manual_review')], { unresolved: ['res_a'] }],
    ['a pending one', [], [row('res_a', 'pending', null)], { unresolved: ['res_a'] }],
  ])('sees %s', (_what, books, rows, found) => {
    expect(judgeLedger(books, rows)).toEqual({ ...none, ...found });
  });
});
