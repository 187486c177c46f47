import type { SimulatedAnswer } from '../world.js';

const JSON_HEADERS = { 'content-type': 'application/json;charset=UTF-8' };

/** Error statuses of this dialect, and ABG's word for each in `message`. */
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

/**
 * A business error with ABG's code. (HTTP status, code) is the machine-readable part; reason and details are for
 * humans.
 */
export interface AbgFailure {
  readonly status: keyof typeof MESSAGES;
  readonly code: string;
  readonly reason: string;
  readonly details: string;
}

/** An error thrown by the checks of a body, which the simulator turns into an answer. */
export class AbgRefusal extends Error {
  constructor(readonly failure: AbgFailure) {
    super(failure.details);
  }
}

/** Throws a refusal with status 400 and a business code. */
export function refuse(code: string, reason: string): never {
  throw new AbgRefusal({ status: 400, code, reason, details: reason });
}

/** The context of every answer: the time of the request (epoch ms) and the caller's trace id, which is echoed. */
export interface Occasion {
  readonly now: number;
  readonly transactionId: string | undefined;
}

/** The success messages. */
interface SuccessForm {
  readonly status: 200 | 201;
  readonly message: string;
}

const SUCCESS: SuccessForm = { status: 200, message: 'Success' };
/** After a create. */
export const CREATED: SuccessForm = { status: 201, message: 'Created' };
/** After a full update, in ABG's own words. */
export const UPDATED: SuccessForm = { status: 200, message: 'Created' };

/** A success with status, transaction and the given members. */
export function success(details: string, members: object, occasion: Occasion, form = SUCCESS): SimulatedAnswer {
  const status = {
    request_time: requestTime(occasion),
    success: [{ code: String(form.status), message: form.message, details }],
  };
  return json(form.status, { status, transaction: transaction(occasion), ...members });
}

/** An error as ABG's status object. `request_errors` is 1, as in all of ABG's examples. */
export function failure(error: AbgFailure, occasion: Occasion): SimulatedAnswer {
  const { status, code, reason, details } = error;
  const errors = [{ code, message: MESSAGES[status], reason, details }];
  return json(status, {
    status: { request_time: requestTime(occasion), request_errors: 1, errors },
    transaction: transaction(occasion),
  });
}

/** The API gateway's own 401, in the other envelope, for a missing, unknown or expired token. */
export function gatewayUnauthorized(): SimulatedAnswer {
  const description = 'token not found, expired or invalid';
  return json(
    401,
    { error: 'invalid_grant', error_description: description },
    { 'www-authenticate': `Bearer realm="rental-cars", error="invalid_token", error_description="${description}"` },
  );
}

/** A JSON answer. */
export function json(status: number, body: object, headers: Readonly<Record<string, string>> = {}): SimulatedAnswer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify(body) };
}

/** 400 with code 400, for a missing parameter or an invalid value. */
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
