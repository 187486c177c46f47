import type { SimulatedAnswer } from '../world.js';

const JSON_HEADERS = { 'content-type': 'application/json;charset=UTF-8' };

/** HTTP statuses that this dialect answers errors with, and the word ABG puts in `message`. */
const MESSAGES = {
  400: 'Bad Request',
  401: 'unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  406: 'Not Acceptable',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Service exception',
} as const;

/** A business error as ABG numbers it: (HTTP status, code) is what tells; reason and details are for people. */
export interface AbgFailure {
  readonly status: keyof typeof MESSAGES;
  readonly code: string;
  readonly reason: string;
  readonly details: string;
}

/** Carries a failure out of the checks of a body; the simulator answers it. */
export class AbgRefusal extends Error {
  constructor(readonly failure: AbgFailure) {
    super(failure.details);
  }
}

/** Refuses with a 400 of a business code. */
export function refuse(code: string, reason: string): never {
  throw new AbgRefusal({ status: 400, code, reason, details: reason });
}

/** What every body needs: when it was asked (epoch ms) and the caller's trace id, echoed. */
export interface Occasion {
  readonly now: number;
  readonly transactionId: string | undefined;
}

/** What a success calls itself. */
interface SuccessForm {
  readonly status: 200 | 201;
  readonly message: string;
}

const SUCCESS: SuccessForm = { status: 200, message: 'Success' };
/** Of a create. */
export const CREATED: SuccessForm = { status: 201, message: 'Created' };
/** Of a full update, in ABG's own words. */
export const UPDATED: SuccessForm = { status: 200, message: 'Created' };

/** A success with status, transaction and the members given. */
export function success(details: string, members: object, occasion: Occasion, form = SUCCESS): SimulatedAnswer {
  const status = {
    request_time: requestTime(occasion),
    success: [{ code: String(form.status), message: form.message, details }],
  };
  return json(form.status, { status, transaction: transaction(occasion), ...members });
}

/** The status form of an error. `request_errors` is 1, as in every example of ABG's. */
export function failure(error: AbgFailure, occasion: Occasion): SimulatedAnswer {
  const { status, code, reason, details } = error;
  const errors = [{ code, message: MESSAGES[status], reason, details }];
  return json(status, {
    status: { request_time: requestTime(occasion), request_errors: 1, errors },
    transaction: transaction(occasion),
  });
}

/** The API gateway's own 401, in the other envelope: the token is missing, unknown or expired. */
export function gatewayUnauthorized(): SimulatedAnswer {
  const description = 'token not found, expired or invalid';
  return json(
    401,
    { error: 'invalid_grant', error_description: description },
    { 'www-authenticate': `Bearer realm="rental-cars", error="invalid_token", error_description="${description}"` },
  );
}

/** Any body as JSON. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** 400 with code 400: a parameter is missing or has a value that is none. */
export function badRequest(details: string): AbgFailure {
  return { status: 400, code: '400', reason: 'invalid_request', details };
}

function requestTime({ now }: Occasion): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

function transaction({ now, transactionId }: Occasion): object {
  const systemId = `sim-${now.toString(36)}`;
  return transactionId === undefined ? { system_id: systemId } : { transaction_id: transactionId, system_id: systemId };
}
