import { describe, expect, test } from '@jest/globals';
import { ApiError } from '../status/api-error.js';
import { throttled } from '../status/throttled.js';
import { oauthError } from './oauth-errors.js';
import { invalidClient, refused } from './oauth-request.js';

const written = (error: ApiError): unknown => JSON.parse(oauthError(error).body);

describe('oauthError', () => {
  test.each([
    ['invalid_client', invalidClient('Wrong pair.'), 'Wrong pair.'],
    ['invalid_scope', refused('invalid_scope', 'Scopes are not supported.'), 'Scopes are not supported.'],
    ['invalid_request', ApiError.of('invalid_format', 'No form.'), 'No form.'],
    ['temporarily_unavailable', throttled(7, 'Too many calls.'), 'Too many calls. Try again in 7 s.'],
    ['temporarily_unavailable', ApiError.of('maintenance', 'Down.'), 'Down.'],
    ['server_error', ApiError.of('unexpected_condition', 'Bug.'), 'Bug.'],
  ])('%s, with the details as its description', (code, error, description) => {
    expect(written(error)).toEqual({ error: code, error_description: description });
  });

  test('describes an error without details as the status container does', () => {
    expect(written(ApiError.of('throttled'))).toEqual({
      error: 'temporarily_unavailable',
      error_description: 'The rate limit of the application is exceeded.',
    });
  });

  test('shows the first of several problems', () => {
    const error = new ApiError([
      { reason: 'invalid_request', details: 'First.' },
      { reason: 'unexpected_condition', details: 'Second.' },
    ]);
    expect(written(error)).toEqual({ error: 'invalid_request', error_description: 'First.' });
  });

  test('replaces the characters that RFC 6749 §5.2 does not allow in a description', () => {
    expect(written(ApiError.of('invalid_request', 'Say "grün" \\ \n'))).toMatchObject({
      error_description: "Say 'gr?n' ? ?",
    });
  });

  test('forbids HTTP/1.0 caches to store the answer', () => {
    expect(oauthError(ApiError.of('timeout')).headers).toEqual({ pragma: 'no-cache' });
  });
});
