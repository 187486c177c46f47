import type { SimulatedAnswer } from '../world.js';

/** The error codes of this supplier by name; the wire has the number. */
const ERRORS = {
  badRequest: 1001,
  noDepot: 2001,
  closed: 2002,
  soldOut: 3001,
  dearer: 3002,
  tooYoung: 3003,
  noAddon: 3004,
  noBooking: 4004,
  over: 4009,
} as const;

/** A refusal, answered under HTTP 200; thrown anywhere below the simulator's entry point. */
export class FlatError extends Error {
  readonly err: number;

  constructor(name: keyof typeof ERRORS, message: string) {
    super(message);
    this.err = ERRORS[name];
    this.name = 'FlatError';
  }
}

/** A success with the given members. */
export function done(members: object): SimulatedAnswer {
  return send(200, { ok: 1, ...members });
}

/** A refusal in this supplier's format. */
export function refused({ err, message }: FlatError): SimulatedAnswer {
  return send(200, { ok: 0, err, msg: message });
}

/** The few answers with their own HTTP status. */
export function failed(status: 401 | 404 | 429, msg: string): SimulatedAnswer {
  return send(status, { ok: 0, err: status, msg });
}

function send(status: number, body: object): SimulatedAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}
