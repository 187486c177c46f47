import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { claim } from '../../../test/support/claim.js';
import { RequestContext } from '../../context/request-context.js';
import { download } from './download.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** A download of so many parts whose request has a budget of 8 s. */
function begin(count: number) {
  async function* parts() {
    for (let number = 1; number <= count; number += 1) yield `part ${number}`;
  }
  const [spent, leave] = [jest.fn(), jest.fn()];
  const context = new RequestContext('req_1', 0);
  context.startBudget(8_000, spent);
  const request = { context, raw: { place: { leave } } } as unknown as FastifyRequest;
  const { body } = download(request, parts(), { 'content-type': 'text/plain', 'content-disposition': 'attachment' });
  return { body: body as AsyncIterable<string>, spent, leave };
}

claim(
  'personal-data',
  'A download of account data is not cut off while the browser takes its parts, however long it takes.',
  async () => {
    const { body, spent } = begin(20);
    const taken: string[] = [];
    for await (const part of body) {
      taken.push(part);
      jest.advanceTimersByTime(10_000);
    }
    expect([taken.length, spent.mock.calls.length]).toEqual([20, 0]);
  },
);

it('a download that the browser no longer takes ends, and one has no place among requests in progress', async () => {
  const { body, spent, leave } = begin(20);
  await body[Symbol.asyncIterator]().next();
  jest.advanceTimersByTime(31_000);
  expect([spent.mock.calls.length, leave.mock.calls.length]).toEqual([1, 1]);
});
