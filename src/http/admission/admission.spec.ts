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
    isKnown: true,
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
  /** An admission with no place left, each held by another caller; `add` enters requests. Its clock does not move. */
  const full = (log: string[], most = 4) => {
    const clock = { ms: 0 };
    const admission = admissionOf(most, () => clock.ms);
    const begun: AdmissionEntry[] = [];
    const add = (names: readonly string[], more: Partial<AdmissionEntry> = {}): void => {
      for (const name of names) {
        const own: AdmissionEntry = {
          ...entry(name, log, more),
          begin: () => {
            log.push(name);
            begun.push(own);
          },
        };
        admission.enter(own);
      }
    };
    for (let number = 0; number < most; number += 1) add(['x'], { caller: `holder ${number}` });
    log.length = 0;
    /** Ends `count` requests, one by one, always the one that began last. */
    const free = async (count: number): Promise<void> => {
      for (let number = 0; number < count; number += 1) {
        const last = begun.pop();
        if (last) admission.leave(last);
        for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      }
    };
    return { admission, add, free, clock };
  };

  claim('API4', 'Waiting requests begin in rotation between callers, not in order of arrival.', async () => {
    const log: string[] = [];
    const { add, free } = full(log);
    add(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
    await free(6);
    expect(log).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('begins bookings first, but one search after three of them', async () => {
    const log: string[] = [];
    const { add, free } = full(log);
    add(['s1', 's2']);
    // One booking may exceed the limit.
    add(['b1', 'b2', 'b3', 'b4', 'b5'], { isBooking: true });
    await free(8);
    expect(log).toEqual(['b1', 'b2', 'b3', 's1', 'b4', 'b5', 's2']);
  });

  it('refuses searches that waited two seconds, and bookings after five', async () => {
    const log: string[] = [];
    const { add, clock } = full(log);
    add(['s']);
    add(['b1', 'b2', 'b3'], { isBooking: true });
    const passTo = async (ms: number): Promise<void> => {
      clock.ms = ms;
      await wait(200);
    };
    await passTo(2_000);
    // One booking may exceed the limit.
    expect(log).toEqual(['b1']);
    await passTo(2_001);
    expect(log.slice(1)).toEqual(['s refused']);
    await passTo(5_000);
    expect(log.slice(2)).toEqual([]);
    await passTo(5_001);
    expect(log.slice(2)).toEqual(['b2 refused', 'b3 refused']);
  });

  claim(
    'API4',
    'One caller gets at most half of all places, and so do all callers without a known token together.',
    async () => {
      const log: string[] = [];
      const admission = admissionOf(8);
      for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) admission.enter(entry(name, log));
      for (const name of ['b1', 'b2']) admission.enter(entry(name, log));
      await nextTurn();
      await nextTurn();
      // Others pass those that wait for a place of their own.
      expect(log).toEqual(['a1', 'a2', 'a3', 'a4', 'b1', 'b2']);
      const strangers = admissionOf(8);
      for (let number = 0; number < 8; number += 1)
        strangers.enter(entry(`${number}`, log, { isKnown: false, caller: `network ${number}` }));
      await nextTurn();
      expect(strangers.state).toEqual({ limit: 8, running: 4, waiting: 4 });
    },
  );

  claim(
    'API4',
    "One caller's requests in progress, which may only wait, take nothing from others when the gateway can do less than before.",
    async () => {
      const log: string[] = [];
      const loop = { idleShare: 1, lagMs: 0 };
      const clock = { ms: 0 };
      const admission = new Admission(
        200,
        () => clock.ms,
        new AdaptiveLimit(
          200,
          () => loop,
          () => clock.ms,
        ),
      );
      for (let number = 0; number < 90; number += 1) admission.enter(entry('a', []));
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      expect(admission.state.running).toBe(90);
      Object.assign(loop, { idleShare: 0, lagMs: 500 });
      for (let step = 0; step < 200; step += 1) {
        clock.ms += 250;
        admission.enter(entry('a', [], { isGone: () => true }));
        await nextTurn();
      }
      const { limit } = admission.state;
      expect(limit).toBeLessThan(90);
      for (let number = 0; number < limit; number += 1) admission.enter(entry('b', log));
      for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      // What is its share with one other caller and those that are unknown.
      expect(log.filter((name) => name === 'b').length).toBeGreaterThanOrEqual(Math.floor(limit / 3));
      expect(admission.state.running).toBeLessThan(90 + limit);
    },
  );

  claim(
    'API4',
    'A network leaves half of the places for requests without a known token to others, and N networks together leave one of N + 1 parts.',
    async () => {
      const log: string[] = [];
      const admission = admissionOf(120);
      const add = async (network: string, count: number) => {
        for (let number = 0; number < count; number += 1)
          admission.enter(entry(network, log, { isKnown: false, caller: `network ${network}` }));
        for (let turn = 0; turn < 20; turn += 1) await nextTurn();
      };
      const begun = (network: string) => log.filter((name) => name === network).length;
      await add('a', 100);
      expect(begun('a')).toBe(30);
      await add('b', 10);
      expect(begun('b')).toBe(10);
      await add('b', 100);
      // As many as they leave.
      expect([begun('b'), admission.state.running]).toEqual([15, 45]);
      await add('c', 1);
      expect(begun('c')).toBe(1);
    },
  );

  it('refuses the newest request of the caller with the most when 1,000 wait', () => {
    const log: string[] = [];
    const { admission, add } = full(log);
    add(Array.from({ length: 1_000 }, (_, number) => `a${number + 1}`));
    add(['b1']);
    expect(log).toEqual(['a1000 refused']);
    add(['a1001']);
    expect(log.at(-1)).toBe('a1001 refused');
    expect(admission.state).toEqual({ limit: 4, running: 4, waiting: 1_000 });
  });

  it('drops requests whose client is gone, without an answer', async () => {
    const log: string[] = [];
    const { add, free } = full(log);
    add(['gone'], { isGone: () => true });
    add(['here']);
    await free(1);
    expect(log).toEqual(['here']);
  });
});
