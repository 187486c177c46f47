import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { claim } from '../../../test/support/claim.js';
import { AdaptiveLimit } from './adaptive-limit.js';
import { Admission, type AdmissionEntry } from './admission.js';

/** A loop with nothing to do: the limit only grows. */
const IDLE = () => ({ idleShare: 1, lagMs: 0 });
const admissionOf = (most: number, now?: () => number): Admission =>
  new Admission(most, now, new AdaptiveLimit(most, IDLE, now));

/** An entry that notes what happened to it under its name. */
function entry(name: string, log: string[], more: Partial<AdmissionEntry> = {}): AdmissionEntry {
  return {
    caller: name.slice(0, 1),
    isBooking: false,
    begin: () => log.push(name),
    refuse: () => log.push(`${name} refused`),
    isGone: () => false,
    ...more,
  };
}

/** Enters `count` requests and returns how many had begun after each turn of the event loop in which any began. */
async function turnsOf(admission: Admission, count: number, work: () => unknown): Promise<readonly number[]> {
  const begun: number[] = [];
  const after: number[] = [];
  for (let number = 0; number < count; number += 1)
    admission.enter(
      entry('a', [], {
        begin: () => {
          begun.push(number);
          // As in a request, the work begins after a promise has resolved.
          void Promise.resolve().then(() => Promise.resolve().then(work));
        },
      }),
    );
  for (let turn = 0; begun.length < count && turn < 1_000; turn += 1) {
    if (after.at(-1) !== begun.length) after.push(begun.length);
    await nextTurn();
  }
  expect(begun).toEqual(Array.from({ length: count }, (_, number) => number));
  return [...after, begun.length];
}

describe('a burst', () => {
  it('begins at most 32 requests in one turn of the event loop, in order of arrival', async () => {
    const admission = admissionOf(1_000, () => 0);
    expect(await turnsOf(admission, 70, () => undefined)).toEqual([32, 64, 70]);
    await nextTurn();
    expect(await turnsOf(admission, 1, () => undefined)).toEqual([1]);
  });

  claim('API4', 'No further request begins in a turn of the event loop that has worked for 8 ms.', async () => {
    const clock = { ms: 0 };
    const admission = admissionOf(1_000, () => clock.ms);
    const counts = await turnsOf(admission, 60, () => {
      clock.ms += 5;
    });
    // The first 32 enter together, before any of them worked; then two of 5 ms are 10 ms.
    expect(counts).toEqual([32, ...Array.from({ length: 14 }, (_, turn) => 34 + 2 * turn)]);
  });
});

describe('beyond the limit', () => {
  /** An admission with no place left. */
  const full = (log: string[], most = 4): Admission => {
    const admission = admissionOf(most);
    for (let number = 0; number < most; number += 1) admission.enter(entry('x', log));
    log.length = 0;
    return admission;
  };
  /** Ends `count` requests, one by one. */
  const free = async (admission: Admission, count: number): Promise<void> => {
    for (let number = 0; number < count; number += 1) {
      admission.leave();
      for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    }
  };

  claim('API4', 'Waiting requests begin in rotation between callers, not in order of arrival.', async () => {
    const log: string[] = [];
    const admission = full(log);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) admission.enter(entry(name, log));
    await free(admission, 6);
    expect(log).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('begins bookings first, but one search after three of them', async () => {
    const log: string[] = [];
    const admission = full(log);
    // One booking may exceed the limit.
    for (const name of ['s1', 's2']) admission.enter(entry(name, log));
    for (const name of ['b1', 'b2', 'b3', 'b4', 'b5']) admission.enter(entry(name, log, { isBooking: true }));
    await free(admission, 8);
    expect(log).toEqual(['b1', 'b2', 'b3', 's1', 'b4', 'b5', 's2']);
  });

  it('refuses searches that waited a second, and bookings after two', async () => {
    const log: string[] = [];
    const admission = full(log);
    admission.enter(entry('s', log));
    for (const name of ['b1', 'b2', 'b3']) admission.enter(entry(name, log, { isBooking: true }));
    await wait(800);
    // One booking may exceed the limit.
    expect(log).toEqual(['b1']);
    await wait(500);
    expect(log.slice(1)).toEqual(['s refused']);
    await wait(1_000);
    expect(log.slice(2)).toEqual(['b2 refused', 'b3 refused']);
  });

  it('refuses the newest request of the caller with the most when 1,000 wait', () => {
    const log: string[] = [];
    const admission = full(log);
    for (let number = 1; number <= 1_000; number += 1) admission.enter(entry(`a${number}`, log));
    admission.enter(entry('b1', log));
    expect(log).toEqual(['a1000 refused']);
    admission.enter(entry('a1001', log));
    expect(log.at(-1)).toBe('a1001 refused');
    expect(admission.state).toEqual({ limit: 4, running: 4, waiting: 1_000 });
  });

  it('drops requests whose client is gone, without an answer', async () => {
    const log: string[] = [];
    const admission = full(log);
    admission.enter(entry('gone', log, { isGone: () => true }));
    admission.enter(entry('here', log));
    await free(admission, 1);
    expect(log).toEqual(['here']);
  });
});
