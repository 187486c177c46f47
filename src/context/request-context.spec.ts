import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Turns } from '../config/turns.js';
import { parseScenario } from '../sandbox/scenario.js';
import { contextOfApplication } from './fixtures/context.js';
import { RequestContext } from './request-context.js';

const background = (): RequestContext => new RequestContext('req_1', 0);

describe('the calling application', () => {
  it('is available after authentication; reading its policy earlier throws', () => {
    const context = background();
    expect(context.applicationId).toBeUndefined();
    expect(() => context.policy).toThrow('not authenticated');
    const { applicationId, policy } = contextOfApplication('app_a', 0);
    expect([applicationId, policy.applicationId]).toEqual(['app_a', 'app_a']);
  });
});

describe('the turn of an account', () => {
  it('checks the token of a request that waited for it again, before it does its work', async () => {
    const turns = new Turns();
    const done: string[] = [];
    const work = (name: string) => async () => {
      await new Promise(setImmediate);
      done.push(name);
    };
    const [first, second, third] = [1, 2, 3].map(() => contextOfApplication('app_a', 0)) as [
      RequestContext,
      RequestContext,
      RequestContext,
    ];
    first.acceptedBy(async () => void done.push('first checked'));
    second.acceptedBy(() => Promise.reject(new Error('revoked')));
    third.acceptedBy(async () => void done.push('third checked'));
    const all = [
      first.inTurn(turns, work('first')),
      second.inTurn(turns, work('second')),
      third.inTurn(turns, work('third')),
    ];
    expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(done).toEqual(['first', 'third checked', 'third']);
  });
});

describe('the session or token of a request', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is checked again if the last check is more than 0.1 s ago', async () => {
    const context = background();
    let checks = 0;
    context.acceptedBy(async () => {
      checks += 1;
    });
    jest.advanceTimersByTime(100);
    expect(context.reauthorizeIfLate()).toBeUndefined();
    jest.advanceTimersByTime(1);
    await context.reauthorizeIfLate();
    expect(context.reauthorizeIfLate()).toBeUndefined();
    jest.advanceTimersByTime(101);
    await context.reauthorizeIfLate();
    expect(checks).toBe(2);
  });

  it('is checked again after a wait, however short', async () => {
    const context = background();
    expect(await context.afterWait(Promise.resolve('room'))).toBe('room');
    context.acceptedBy(() => Promise.reject(new Error('revoked')));
    await expect(context.afterWait(Promise.resolve('room'))).rejects.toThrow('revoked');
  });

  it('is none of a request without one', () => {
    const context = background();
    jest.advanceTimersByTime(1_000);
    expect(context.reauthorizeIfLate()).toBeUndefined();
  });
});

describe('canceling a request', () => {
  it('runs every listener once, and a later listener immediately', () => {
    const context = background();
    let runs = 0;
    const count = (): void => {
      runs += 1;
    };
    context.onCancel(count);
    context.onCancel(count)();
    context.onCancel(() => count());
    context.cancel('client_disconnected');
    context.cancel('budget_exhausted');
    expect([runs, context.cancelled]).toEqual([1, 'client_disconnected']);
    context.onCancel(count);
    expect(runs).toBe(2);
  });

  it('does not affect committed work until it is complete, and a canceled request cannot be committed', () => {
    const context = background();
    let runs = 0;
    expect(context.commit()).toBe(true);
    context.onCancel(() => {
      runs += 1;
    });
    context.cancel('client_disconnected');
    expect([runs, context.cancelled]).toEqual([0, 'client_disconnected']);
    const gone = background();
    gone.cancel('client_disconnected');
    expect(gone.commit()).toBe(false);
  });
});

describe('the end of a request', () => {
  it('comes with the response, or when committed work is complete if that takes longer', () => {
    const ends: string[] = [];
    const plain = background();
    plain.onFinished(() => ends.push('plain'));
    plain.end();
    const committed = background();
    committed.commit();
    committed.onFinished(() => ends.push('committed'));
    committed.end();
    expect(ends).toEqual(['plain']);
    committed.workDone();
    committed.end();
    expect(ends).toEqual(['plain', 'committed']);
  });
});

it('a request has only one scenario', () => {
  const context = background();
  const scenario = parseScenario('*=empty', 'header', []);
  context.useScenario(scenario);
  expect(context.scenario).toBe(scenario);
  expect(() => context.useScenario(scenario)).toThrow('already');
});
