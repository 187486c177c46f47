import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { claim } from '../../test/support/claim.js';
import { ApiError, type Problem } from '../status/api-error.js';
import { SchemaPipe } from './schema.pipe.js';

const CARD = '4111 1111 1111 1111';

function problemsOf(work: () => unknown): readonly Problem[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.status).toBe(400);
    expect(JSON.stringify(error.problems) + error.message).not.toMatch(/4111/);
    return error.problems;
  }
  return [];
}

describe('the body of any operation', () => {
  const schema = z.strictObject({ remark: z.string().optional(), card: z.string().optional() });

  it('must not contain a card number: 400 naming the field and what to do, never the number', () => {
    expect(problemsOf(() => new SchemaPipe(schema, 'body').transform({ remark: CARD }))).toEqual([
      {
        reason: 'invalid_request',
        field: 'remark',
        details: 'A value looks like a payment card number. Remove it: this operation takes no card numbers.',
      },
    ]);
  });

  it('may contain one in the field for it, and nowhere else', () => {
    const pipe = new SchemaPipe(schema, 'body', 'card');
    expect(pipe.transform({ card: CARD })).toEqual({ card: CARD });
    const [problem] = problemsOf(() => pipe.transform({ card: CARD, remark: CARD }));
    expect([problem?.field, problem?.details]).toEqual(['remark', expect.stringContaining('only in card.')]);
  });

  it('is searched before its fields are checked, so that an unknown name is not quoted', () => {
    expect(problemsOf(() => new SchemaPipe(schema, 'body').transform({ [CARD]: 1 })).map(({ field }) => field)).toEqual(
      [undefined],
    );
  });

  claim('API4', 'A body with more than 2,000 members and items is rejected before its fields are checked.', () => {
    const entered: unknown[] = [];
    const crowded = z.unknown().transform((value) => entered.push(value));
    const transform = (count: number) =>
      problemsOf(() => new SchemaPipe(crowded, 'body').transform({ search: { loyalty: Array(count).fill({}) } }));
    expect(transform(21_000)).toEqual([
      {
        reason: 'invalid_request',
        field: 'search.loyalty',
        details: 'The body has more than 2000 members and items. Send less.',
      },
    ]);
    expect(entered).toEqual([]);
    expect(transform(1_998)).toEqual([]);
    expect(entered.length).toBe(1);
  });

  it('has a bound on what is searched', () => {
    expect(problemsOf(() => new SchemaPipe(schema, 'body').transform({ remark: '1'.repeat(200_000) }))).toEqual([
      { reason: 'invalid_request', details: 'The body has more than 131072 characters of text. Send less.' },
    ]);
  });
});
