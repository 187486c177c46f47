import { setTimeout as wait } from 'node:timers/promises';
import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { h } from 'preact';
import { firstValueFrom, from } from 'rxjs';
import { claim } from '../../../test/support/claim.js';
import { Turns } from '../../config/turns.js';
import { RequestContext } from '../../context/request-context.js';
import { Answer } from '../../http/answer.js';
import { HeavyViews } from './heavy-views.js';
import { page, seeOther } from './page.js';
import { PageError } from './page-error.js';
import { PageOrigin } from './page-origin.js';

/** Blocks the event loop for some milliseconds while it is rendered. */
function Slow(): string {
  for (const endMs = performance.now() + 4; performance.now() < endMs; );
  return 'slow';
}

/** A request of a page by a visitor, whose session is revoked if `isOver` says so when it is asked. */
function requestOf(accountId: string, isOver = () => false, method = 'GET') {
  const context = new RequestContext('req_1', 0);
  context.acceptedBy(async () => {
    if (isOver()) throw PageError.login('/');
  });
  return { method, url: '/', ip: '192.0.2.1', visitor: { accountId }, context, headers: {} };
}

/** What the handler of a page answers, as the visitor gets it. */
async function shown(request: ReturnType<typeof requestOf>, handle: () => Promise<unknown>): Promise<Answer> {
  const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  const next: CallHandler = { handle: () => from(handle()) };
  return (await firstValueFrom(new PageOrigin().intercept(execution, next))) as Answer;
}

const plainPage = async () => page({ title: 'Page', visitor: undefined }, 'text');

claim(
  'portal',
  'A page is not shown if its session ends while it waits for other pages, for reports or for the database.',
  async () => {
    let isOver = false;
    const read = async () => {
      await wait(150);
      return await plainPage();
    };
    const slow = shown(
      requestOf('acc_slow', () => isOver),
      read,
    );
    const reports = { turns: new Turns() };
    const { promise: reported, resolve: report } = Promise.withResolvers<void>();
    void new HeavyViews({ reports }).run('acc_view', () => reported);
    const view = shown(
      requestOf('acc_view', () => isOver),
      () => new HeavyViews({ reports }).run('acc_view', plainPage),
    );
    const others = Array.from({ length: 4 }, () => shown(requestOf('acc_many'), read));
    let isMade = false;
    const fifth = shown(
      requestOf('acc_many', () => isOver),
      async () => {
        isMade = true;
        return await plainPage();
      },
    );
    const all = Promise.allSettled([slow, view, fifth]);
    isOver = true;
    await wait(150);
    report();
    expect(await all).toMatchObject(Array(3).fill({ status: 'rejected', reason: { location: '/login?next=%2F' } }));
    expect(isMade).toBe(false);
    await Promise.all(others);
  },
);

test('a form that ends its session is answered, however long it takes', async () => {
  const answer = await shown(
    requestOf('acc_a', () => true, 'POST'),
    async () => {
      await wait(150);
      return seeOther('/login');
    },
  );
  expect(answer.status).toBe(303);
});

claim('API4', 'Pages that wait for the database together are rendered in turns of 8 ms.', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const handler = async () => {
    await answered;
    return page({ title: 'Page', visitor: undefined }, h(Slow, {}));
  };
  const pages = Array.from({ length: 60 }, async () => (await shown(requestOf('acc_a'), handler)).body);
  answer();
  const startedAt = performance.now();
  let [longest, lastMs, isDone] = [0, startedAt, false];
  const all = Promise.all(pages).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await new Promise((resolve) => setTimeout(resolve, 0));
    longest = Math.max(longest, performance.now() - lastMs);
    lastMs = performance.now();
  }
  expect((await all)[59]).toContain('slow');
  // Twenty turns of three pages; the machine may pause.
  expect(longest).toBeLessThan((performance.now() - startedAt) / 3);
});
