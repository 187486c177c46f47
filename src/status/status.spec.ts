import { afterEach, describe, expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { reasons } from './reasons.js';
import { setThrottledMessage, statusContainer } from './status-container.js';

describe('the reasons table', () => {
  // Spec §7.3, row by row.
  it.each([
    ['invalid_request', 400, 'Bad Request'],
    ['invalid_format', 400, 'Bad Request'],
    ['invalid_range', 400, 'Bad Request'],
    ['authentication_failure', 401, 'Unauthorized'],
    ['required', 401, 'Unauthorized'],
    ['permissions_failure', 403, 'Forbidden'],
    ['no_results', 404, 'Not Found'],
    ['resource_failure', 404, 'Not Found'],
    ['no_supplier_results', 404, 'Not Found'],
    ['timeout', 408, 'Request Timeout'],
    ['throttled', 429, 'Not Found'],
    ['unexpected_condition', 500, 'Internal Server Error'],
    ['supplier_failure', 500, 'Internal Server Error'],
    ['maintenance', 503, 'Service Unavailable'],
  ] as const)('%s is %i %s', (reason, code, message) => {
    expect(reasons[reason]).toMatchObject({ reason, code, message });
    expect(reasons[reason].details).not.toBe('');
  });

  it('has no other rows', () => {
    expect(Object.keys(reasons)).toHaveLength(14);
  });
});

describe('statusContainer', () => {
  afterEach(() => setThrottledMessage('published'));

  it('contains only a success entry if there are no errors', () => {
    expect(statusContainer(Date.UTC(2027, 0, 2, 3, 4, 5, 678), 200, [])).toEqual({
      request_time: '2027-01-02T03:04:05.678Z',
      success: [{ code: '200', message: 'OK', details: 'The resource was successfully retrieved.' }],
    });
  });

  it('counts the errors in addition to the success entry of a partial result', () => {
    const container = statusContainer(0, 206, [
      { reason: 'supplier_failure', supplier: 'bravo', cause: 'timeout', details: 'Bravo failed.' },
      { reason: 'no_supplier_results', supplier: 'alpine' },
    ]);
    expect(container.request_errors).toBe(2);
    expect(container.success?.[0]?.code).toBe('206');
    expect(container.errors).toEqual([
      {
        code: '500',
        message: 'Internal Server Error',
        reason: 'supplier_failure',
        details: 'Bravo failed.',
        supplier: 'bravo',
        cause: 'timeout',
      },
      {
        code: '404',
        message: 'Not Found',
        reason: 'no_supplier_results',
        details: reasons.no_supplier_results.details,
        supplier: 'alpine',
      },
    ]);
  });

  it('uses the published or the standard message of 429', () => {
    const message = () => statusContainer(0, undefined, [{ reason: 'throttled' }]).errors?.[0]?.message;
    expect(message()).toBe('Not Found');
    setThrottledMessage('standard');
    expect(message()).toBe('Too Many Requests');
  });
});

describe('ApiError', () => {
  it('takes its status from the first problem', () => {
    expect(new ApiError([{ reason: 'invalid_range' }, { reason: 'invalid_format' }]).status).toBe(400);
    expect(ApiError.of('maintenance').status).toBe(503);
  });
});
