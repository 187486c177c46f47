import { describe, expect, it } from '@jest/globals';
import { SupplierError } from '../../model/supplier.js';
import { readBookingReply } from './booking-reply.js';
import { NO_CARS } from './empty-answers.js';
import { readReply } from './reply.js';

const envelope = (fault: string): string => `<s:Envelope xmlns:s="u"><s:Body>${fault}</s:Body></s:Envelope>`;
const soap11 = (code: string): string =>
  envelope(`<s:Fault><faultcode>${code}</faultcode><faultstring>Mrs Sample may not</faultstring></s:Fault>`);
const soap12 = (code: string, ...subcodes: string[]): string => {
  const inner = subcodes.reduceRight((below, sub) => `<s:Subcode><s:Value>${sub}</s:Value>${below}</s:Subcode>`, '');
  return envelope(`<s:Fault><s:Code><s:Value>${code}</s:Value>${inner}</s:Code></s:Fault>`);
};

function faultOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof SupplierError) return error.fault;
    throw error;
  }
  return 'none';
}

/** The faults of a search and of a booking. */
function faults(body: string, status: number): readonly [string, string] {
  const answer = { status, headers: {}, body: Buffer.from(body) };
  const search = {
    message: 'OTA_VehAvailRateRS',
    hasData: () => false,
    errorCodes: {},
    emptyShape: NO_CARS,
    namespace: '',
  };
  return [
    faultOf(() => readReply(answer, search)),
    faultOf(() => readBookingReply(answer, { message: 'OTA_VehResRS', isWrite: true, errorCodes: {} })),
  ];
}

describe('a SOAP fault', () => {
  it.each([
    ['wsse:FailedAuthentication', soap11('wsse:FailedAuthentication')],
    ['an expired message', soap11('wsse:MessageExpired')],
    ['Client.Authentication', soap11('s:Client.Authentication')],
    ['a subcode of SOAP 1.2', soap12('s:Sender', 'wsse:InvalidSecurity')],
    ['a subcode of a subcode', soap12('s:Sender', 'x:Denied', 'wsse:FailedAuthentication')],
  ])('with %s is auth for searches and bookings, whatever the status', (_code, body) => {
    for (const status of [200, 400, 500]) expect(faults(body, status)).toEqual(['auth', 'auth']);
  });

  it.each([
    ['Client', soap11('s:Client')],
    ['Client with a detail', soap11('s:Client.Format')],
    ['Sender', soap12('s:Sender')],
    ['MustUnderstand', soap11('s:MustUnderstand')],
  ])('with %s refuses a search, and leaves a booking in doubt', (_code, body) => {
    expect(faults(body, 200)).toEqual(['rejected', 'unavailable']);
    expect(faults(body, 400)).toEqual(['rejected', 'unavailable']);
    expect(faults(body, 500)).toEqual(['unavailable', 'unavailable']);
  });

  it.each([
    ['Server', soap11('s:Server')],
    ['Receiver', soap12('s:Receiver', 'x:Backend')],
    ['no code', envelope('<s:Fault/>')],
  ])('with %s is unavailable', (_code, body) => {
    for (const status of [200, 500]) expect(faults(body, status)).toEqual(['unavailable', 'unavailable']);
  });
});
