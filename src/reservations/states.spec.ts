import { describe, expect, it } from '@jest/globals';
import { canMove, hasEnded, STATES, TRANSITIONS } from './states.js';

describe('the transition table', () => {
  // docs/model.md#reservation.
  it.each([
    ['pending', 'confirmed on_request failed unknown'],
    ['unknown', 'confirmed on_request failed manual_review'],
    ['manual_review', 'confirmed failed cancelled cancel_unknown'],
    ['on_request', 'confirmed rejected cancel_pending expired manual_review'],
    ['confirmed', 'modify_pending cancel_pending completed no_show manual_review'],
    ['modify_pending', 'confirmed unknown'],
    ['cancel_pending', 'cancelled confirmed on_request cancel_unknown'],
    ['cancel_unknown', 'cancelled confirmed on_request manual_review'],
    ['cancelled', ''],
    ['rejected', ''],
    ['failed', 'confirmed manual_review cancel_unknown'],
    ['expired', ''],
    ['completed', ''],
    ['no_show', ''],
  ] as const)('%s → %s', (from, to) => {
    expect(STATES.filter((state) => canMove(from, state)).sort()).toEqual(to.split(' ').filter(Boolean).sort());
    expect(hasEnded(from)).toBe(to === '' || from === 'failed');
  });

  it('has a row for every state and leads only to states', () => {
    expect(Object.keys(TRANSITIONS)).toEqual([...STATES]);
    expect(
      Object.values(TRANSITIONS)
        .flat()
        .filter((state) => !STATES.includes(state)),
    ).toEqual([]);
  });

  it('never leads from a state to itself or back to pending', () => {
    expect(STATES.filter((state) => canMove(state, state) || canMove(state, 'pending'))).toEqual([]);
  });
});
