import { describe, expect, it } from '@jest/globals';
import type { EndedRequest } from '../http/request-recorder.js';
import { RequestTrace } from '../metrics/request-trace.js';
import { SecondSample } from './second-sample.js';

const ended = (status: number, accountId = 'acc_a'): EndedRequest => ({ accountId, status }) as EndedRequest;
const statuses = ({ kept }: ReturnType<SecondSample['turn']>): number[] => kept.map(({ status }) => status);

describe('SecondSample', () => {
  it('keeps everything while there is room', () => {
    const sample = new SecondSample(3);
    for (const status of [200, 206, 429]) sample.offer(ended(status));
    expect(statuses(sample.turn())).toEqual([206, 200, 429]);
  });

  it('prefers failures and partial results over complete responses and 429, in any order', () => {
    const sample = new SecondSample(3);
    for (const status of [200, 429, 200, 200, 206, 500, 200, 499, 404]) sample.offer(ended(status));
    const second = sample.turn();
    expect([statuses(second), second.left]).toEqual([[206, 500, 499], 6]);
  });

  it('recognizes a partial result by its entries, because POST returns it with status 200', () => {
    const sample = new SecondSample(1);
    const trace = new RequestTrace();
    trace.setEntries([{ reason: 'supplier_failure' }]);
    sample.offer(ended(200));
    sample.offer({ ...ended(200), trace });
    expect(sample.turn().kept.map((request) => request.trace)).toEqual([trace]);
  });

  it('is shared equally by accounts, however many requests or applications one of them has', () => {
    const sample = new SecondSample(6);
    for (let count = 0; count < 100; count += 1) sample.offer(ended(count < 50 ? 500 : 200, 'acc_flood'));
    for (let count = 0; count < 3; count += 1) sample.offer(ended(200, 'acc_a'));
    sample.offer(ended(206, 'acc_b'));
    for (let count = 0; count < 100; count += 1) sample.offer(ended(500, 'acc_flood'));
    const { kept, left } = sample.turn();
    const of = (name: string) => kept.filter(({ accountId }) => accountId === name).map(({ status }) => status);
    expect([of('acc_flood'), of('acc_a'), of('acc_b')]).toEqual([[500, 500, 500], [200, 200], [206]]);
    expect(left).toBe(204 - 6);
  });

  it('starts over each second', () => {
    const sample = new SecondSample(1);
    sample.offer(ended(200));
    sample.offer(ended(200));
    sample.turn();
    sample.offer(ended(200));
    expect(sample.turn()).toEqual({ kept: [ended(200)], left: 0 });
  });
});
