import { describe, expect, it } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { enterScenario } from './enter-scenario.js';
import { contextOfApplication } from './fixtures/context.js';
import type { HttpExchange, RequestContext } from './request-context.js';

/** A sandbox request with this header, and the response headers that it sets. */
function asked(
  header: string | string[] | undefined,
  more = {},
): { context: RequestContext; answer: Map<string, string> } {
  const answer = new Map<string, string>();
  const exchange: HttpExchange = {
    request: { headers: header === undefined ? {} : { 'x-sandbox-scenario': header } },
    header: (name, value) => answer.set(name, value),
  };
  return { context: contextOfApplication('app_a', 0, more, exchange), answer };
}

describe('the scenario of a request', () => {
  it.each([
    ['the header', '*=empty', ['ZZT408'], 'header: *=empty', 'empty'],
    ['several headers as one', ['uno=ok', '*=empty'], [], 'header: uno=ok; *=empty', 'ok'],
    ['a magic place in any case, before the default', undefined, ['bos', 'zzt404'], 'place: ZZT404', 'empty'],
    ['the default of the application', undefined, ['BOS'], 'application: uno=slow(300)', 'slow(300)'],
  ])('comes from %s and is returned in X-Sandbox-Applied', (_case, header, places, echo, directive) => {
    const { context, answer } = asked(header, { defaultScenario: 'uno=slow(300)' });
    enterScenario(context, places, ['uno']);
    expect(answer.get('x-sandbox-applied')).toBe(echo);
    expect(context.scenario?.directiveFor('uno', 0, 1)).toBe(directive);
  });

  it('is undefined and no header is set if nothing requests one', () => {
    const { context, answer } = asked(undefined);
    enterScenario(context, ['BOS'], ['uno']);
    expect([context.scenario, answer.size]).toEqual([undefined, 0]);
  });

  it('is rejected in production, where magic places have no effect', () => {
    const { context } = asked('*=empty', { environment: 'production' });
    expect(() => enterScenario(context, [], ['uno'])).toThrow(ApiError);
    const place = asked(undefined, { environment: 'production', defaultScenario: '*=empty' });
    enterScenario(place.context, ['ZZT404'], ['uno']);
    expect(place.context.scenario).toBeUndefined();
  });
});

describe('a gateway fault', () => {
  it('is thrown after X-Sandbox-Applied is set', () => {
    const { context, answer } = asked('fault=503(30)');
    expect(() => enterScenario(context, [], [])).toThrow(expect.objectContaining({ status: 503 }));
    expect(answer.get('x-sandbox-applied')).toBe('header: fault=503(30)');
    expect(context.scenario?.text).toBe('fault=503(30)');
  });

  it('of 408 shortens the budget and makes every supplier time out', async () => {
    const { context } = asked('fault=408');
    const over = new Promise<void>((resolve) => context.startBudget(60_000, resolve));
    enterScenario(context, [], []);
    expect(context.scenario?.directiveFor('uno', 0, 1)).toBe('timeout');
    expect(context.scenario?.bookingDirective('book', 'uno')).toBe('timeout');
    await over;
    expect(context.budgetMs).toBeLessThan(60_000);
  });
});
