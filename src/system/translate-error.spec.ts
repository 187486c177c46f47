import { describe, expect, it } from '@jest/globals';
import { DrizzleQueryError } from 'drizzle-orm/errors';
import { MissingKeyError } from '../config/sealed-text.js';
import { outages } from '../status/outages.js';
import { StoreUnavailableError } from '../store/store.js';
import { translateError } from './translate-error.js';

const database = (code: string) => Object.assign(new Error('connect to db7.internal failed'), { code });
const store = (reply: string) => new StoreUnavailableError({ cause: new Error(reply) });

describe('an outage', () => {
  it.each<[keyof typeof outages, Error]>([
    ['database_unavailable', database('ECONNREFUSED')],
    ['database_full', database('53100')],
    ['database_read_only', database('25006')],
    ['database_overloaded', database('53300')],
    ['database_locked', database('55P03')],
    ['key_missing', new MissingKeyError('PERSONAL_DATA_KEYS', '2s')],
    ['store_unavailable', new StoreUnavailableError()],
    ['store_out_of_memory', store("OOM command not allowed when used memory > 'maxmemory'.")],
    ['store_read_only', store("READONLY You can't write against a read only replica.")],
    ['store_full', store('MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk')],
  ])('%s is a 503 with its cause, its Retry-After and no text of the part', (cause, error) => {
    const answer = translateError(error);
    const problem = answer?.problems[0];
    expect([answer?.status, answer?.headers, problem?.cause, answer?.cause]).toEqual([
      503,
      { 'retry-after': String(outages[cause].retryAfterSeconds) },
      cause,
      error,
    ]);
    expect(problem?.details).toContain(outages[cause].what);
    expect(problem?.details).not.toContain('db7');
    expect(problem?.details?.includes('check credentials')).toBe(cause.startsWith('store_'));
  });

  it('after which a change may have been stored is a 503 that says so, and not that nothing changed', () => {
    const broken = new Error('Connection terminated unexpectedly');
    const answer = translateError(new DrizzleQueryError('commit', [], broken));
    expect(answer).toMatchObject({
      status: 503,
      headers: { 'retry-after': '5' },
      problems: [{ reason: 'maintenance', cause: 'outcome_unknown' }],
    });
    expect(answer?.problems[0].details).toContain('it is not known whether this request changed anything');
    expect(answer?.problems[0].details).not.toContain('Nothing was');
    const read = translateError(new DrizzleQueryError('select 1', [], broken));
    expect(read?.problems[0]).toMatchObject({
      cause: 'database_unavailable',
      details: expect.stringContaining('Nothing was booked or changed.'),
    });
  });

  it('is none for another error', () => {
    expect(translateError(new Error('a bug'))).toBeUndefined();
  });
});
