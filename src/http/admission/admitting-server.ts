import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { observeRefusal } from '../../metrics/admission-metrics.js';
import { outageError } from '../../status/outages.js';
import { ERROR_HEADERS, errorText } from '../error-answer.js';
import { requestIdOf } from '../request-id.js';
import type { Admission, AdmissionEntry } from './admission.js';
import type { Callers } from './callers.js';

/** Health checks begin immediately and don't count. */
const HEALTH = '/health/';
/** Everything about a reservation, in any version. */
const RESERVATION = '/cars/reservation/';
/** Clients that were refused together must not come back together. */
const RETRY_SPREAD_SECONDS = 3;

/** A Node request; `waitedMs` is how long it waited for admission, in milliseconds. */
export type AdmittedMessage = IncomingMessage & { waitedMs?: number };

/**
 * Creates the HTTP server of the gateway. Requests reach `handle` when they are admitted; the others get 503 with
 * Retry-After (spec §7.3), before anything else is done for them, and `refused` is called.
 */
export function admittingServer(
  options: ServerOptions,
  admission: Admission,
  callers: Callers,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  refused: () => void,
): Server {
  return createServer(options, (request: AdmittedMessage, response) => {
    const { url = '/' } = request;
    if (url.startsWith(HEALTH)) {
      handle(request, response);
      return;
    }
    const caller = callers.of(request);
    const isBooking = caller.isKnown && url.startsWith(RESERVATION);
    const entry: AdmissionEntry = {
      caller: caller.key,
      isKnown: caller.isKnown,
      isBooking,
      begin: (waitedMs) => {
        request.waitedMs = waitedMs;
        whenReady(response, () => admission.leave(entry));
        handle(request, response);
      },
      refuse: () => {
        observeRefusal(isBooking ? 'booking' : 'other');
        refuse(request, response);
        refused();
      },
      isGone: () => response.destroyed,
    };
    admission.enter(entry);
  });
}

/** Calls `leave` once, when the complete response was handed over or the client is gone; reading it is the client's matter. */
function whenReady(response: ServerResponse, leave: () => void): void {
  let hasLeft = false;
  const once = (): void => {
    if (hasLeft) return;
    hasLeft = true;
    leave();
  };
  response.once('prefinish', once);
  response.once('close', once);
}

/** Made once: refusing must cost next to nothing. */
const OVERLOADED = outageError('gateway_overloaded', undefined);

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const { problems, status, headers } = OVERLOADED;
  const seconds = Number(headers['retry-after']) + Math.floor(Math.random() * RETRY_SPREAD_SECONDS);
  response
    .writeHead(status, {
      ...ERROR_HEADERS,
      ...(request.headers['idempotency-key'] === undefined ? undefined : { 'idempotent-retry': 'same-key' }),
      'x-request-id': requestIdOf(request.headers),
      'retry-after': String(seconds),
    })
    .end(errorText(problems, Date.now()));
}
