import { expect, it } from '@jest/globals';
import { SupplierError } from '../model/supplier.js';
import { failureKind } from './failure-kind.js';
import { CallRejectedError } from './resilience/call-rejected.js';

const coded = (code: string) => Object.assign(new Error('connect'), { code });
const unavailable = (code: string) => new SupplierError('unavailable', 'connect', false, { cause: coded(code) });

it.each([
  ['timeout', new SupplierError('timeout', 'late'), undefined],
  ['http_5xx', new SupplierError('unavailable', 'answered 503'), 503],
  ['supplier_error', new SupplierError('unavailable', 'ota code 450'), 200],
  ['unreachable', unavailable('ECONNREFUSED'), undefined],
  ['unreachable', unavailable('ENOTFOUND'), undefined],
  ['unreachable', unavailable('UND_ERR_SOCKET'), undefined],
  ['tls', unavailable('CERT_HAS_EXPIRED'), undefined],
  ['tls', unavailable('DEPTH_ZERO_SELF_SIGNED_CERT'), undefined],
  ['tls', unavailable('ERR_TLS_CERT_ALTNAME_INVALID'), undefined],
  ['tls', unavailable('ERR_SSL_WRONG_VERSION_NUMBER'), undefined],
  [
    'tls',
    new SupplierError('unavailable', 'x', false, { cause: new Error('fetch', { cause: coded('CERT_NOT_YET_VALID') }) }),
    undefined,
  ],
  ['throttled', new SupplierError('throttled', 'answered 429'), 429],
  ['auth', new SupplierError('auth', 'answered 401'), 401],
  ['bad_payload', new SupplierError('bad_payload', 'not JSON'), 200],
  ['rejected', new SupplierError('rejected', 'no'), 400],
  ['refused', new SupplierError('rejected', 'no car', true, { refusal: 'sold_out' }), 200],
  ['circuit_open', new CallRejectedError('circuit_open', 'open'), undefined],
  ['throttled', new CallRejectedError('throttled', 'it asked for a pause', 'throttled'), undefined],
  ['own_limit', new CallRejectedError('unavailable', 'the queue is full', 'own_limit'), undefined],
  ['own_limit', new CallRejectedError('throttled', 'quota'), 429],
  ['unread', new CallRejectedError('unavailable', 'no thread'), 200],
  ['adapter_bug', new TypeError('undefined is not a function'), 200],
] as const)('%s', (kind, error, status) => {
  expect(failureKind(error, status)).toBe(kind);
});
