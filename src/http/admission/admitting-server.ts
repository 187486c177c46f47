import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { observeRefusal } from '../../metrics/admission-metrics.js';
import { sloCounts } from '../../metrics/slo-counts.js';
import { outageError } from '../../status/outages.js';
import { ERROR_HEADERS, errorText } from '../error-answer.js';
import { requestIdOf } from '../request-id.js';
import type { Admission, AdmissionEntry } from './admission.js';
import type { Callers } from './callers.js';

/** Health checks begin immediately and don't count, but for a flood of them: those beyond a few per turn of the event loop are like other requests. */
const HEALTH = /^\/health\/(live|ready)\/?(\?|$)/;
const HEALTH_PER_TURN = 4;
/** Everything about a reservation, in any version. */
const RESERVATION = '/cars/reservation/';
/** Clients that were refused together must not come back together. */
const RETRY_SPREAD_SECONDS = 3;

/** The place of a request among those in progress. */
export interface Place {
  /** Gives the place up, for as long as the client decides how long something takes. Without effect afterwards. */
  leave(): void;
  /** Waits for a place again. Rejects with the 503 of an overloaded gateway. */
  reenter(): Promise<void>;
}

/** A Node request that was admitted. */
export type AdmittedMessage = IncomingMessage & {
  /** How long it waited for admission, in milliseconds. */
  waitedMs?: number;
  place?: Place;
  /** Notes that its access token was accepted as one of an account, whose next requests have their own place in the queue. */
  accepted?: (token: string, accountId: string) => void;
};

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
  let healthChecks = 0;
  return createServer(options, (request: AdmittedMessage, response) => {
    const { url = '/' } = request;
    if (HEALTH.test(url) && healthChecks < HEALTH_PER_TURN) {
      if (healthChecks === 0)
        setImmediate(() => {
          healthChecks = 0;
        });
      healthChecks += 1;
      handle(request, response);
      return;
    }
    const caller = callers.of(request);
    const isBooking = url.startsWith(RESERVATION);
    const entry: AdmissionEntry = {
      caller: caller.key,
      isKnown: caller.isKnown,
      isBooking,
      begin: (waitedMs) => {
        request.waitedMs = waitedMs;
        let isAccepted = false;
        request.accepted = (token, accountId) => {
          isAccepted = true;
          callers.learn(token, accountId);
        };
        request.place = placeOf(admission, entry, response, () => {
          // A token is known only for as long as it is accepted: a caller with one that was revoked must not fill its account's lane.
          // A failure of the gateway says nothing about it.
          if (!isAccepted && response.statusCode < 500) callers.forget(request);
        });
        handle(request, response);
      },
      refuse: () => {
        observeRefusal(isBooking ? 'booking' : 'other');
        sloCounts.request(request.method ?? '', url, 503);
        refuse(request, response);
        refused();
      },
      isGone: () => response.destroyed,
    };
    admission.enter(entry);
  });
}

/**
 * The place of a request that has begun. It is left when the complete response was handed over, even if earlier responses
 * on the connection are still unread, or when the client is gone. `ended` is called then.
 */
function placeOf(admission: Admission, entry: AdmissionEntry, response: ServerResponse, ended: () => void): Place {
  let isHeld = true;
  let isOver = false;
  const leave = (): void => {
    if (isHeld) admission.leave(entry);
    isHeld = false;
  };
  const over = (): void => {
    if (!isOver) ended();
    isOver = true;
    leave();
  };
  const end = response.end.bind(response) as (...all: unknown[]) => ServerResponse;
  response.end = (...all: unknown[]): ServerResponse => {
    const result = end(...all);
    over();
    return result;
  };
  response.once('close', over);
  const reenter = (): Promise<void> =>
    new Promise((resolve, reject) => {
      admission.enter({
        ...entry,
        begin: () => {
          if (isOver) admission.leave(entry);
          else isHeld = true;
          resolve();
        },
        refuse: () => reject(OVERLOADED),
      });
    });
  return { leave, reenter };
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
