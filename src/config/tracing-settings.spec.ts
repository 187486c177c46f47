import { expect, it } from '@jest/globals';
import { otlpHeaders, tracingSettings } from './tracing-settings.js';

it.each([
  ['', {}],
  ['x-key=abc', { 'x-key': 'abc' }],
  [' X-Key = abc , authorization=Basic%20dXNlcjpwYXNz== ,', { 'x-key': 'abc', authorization: 'Basic dXNlcjpwYXNz==' }],
  ['x-list=a%2Cb', { 'x-list': 'a,b' }],
])('reads the headers %j', (text, headers) => {
  expect(otlpHeaders(text)).toEqual(headers);
});

it.each(['x-key', '=abc', 'x key=abc', 'x-key=a%0d%0aother: b', 'x-key=100%'])('refuses the headers %j', (headers) => {
  const result = tracingSettings.safeParse({ headers });
  expect(result.error?.issues.map(({ message }) => message)).toEqual([
    'must be name=value pairs with commas between them',
  ]);
});

it.each([
  'collector:4318',
  'grpc://collector:4317',
  'https://user:secret@collector',
  'http://collector/?key=secret',
  '',
])('refuses the endpoint %j without quoting it', (endpoint) => {
  const result = tracingSettings.safeParse({ endpoint });
  expect(result.success).toBe(false);
  expect(JSON.stringify(result.error)).not.toContain('secret');
});

it('is off by default', () => {
  expect(tracingSettings.parse(undefined).endpoint).toBeUndefined();
});
