import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable } from '@nestjs/common';
import type { z } from 'zod';
import { KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { confirmedTotal, type Total } from './booking-check.js';
import type { OwnAnswer, OwnCall } from './own-calls.js';
import {
  bookCall,
  cancelCall,
  changeCall,
  pageCall,
  placesCall,
  priceCall,
  Refusal,
  readCall,
  searchCall,
} from './tool-calls.js';
import { type Arguments, INPUTS, type ToolName } from './tool-inputs.js';
import { failed, missingShown, offersShown, refused, shown } from './tool-results.js';

/** What a tool call needs of its request. */
export interface ToolCaller {
  readonly applicationId: string;
  /** Calls an operation for this caller. */
  readonly send: (call: OwnCall) => Promise<OwnAnswer>;
}

/** An operation to call, and how its success is shown. */
interface Plan {
  readonly call: OwnCall;
  readonly show: (answer: OwnAnswer) => CallToolResult;
}

type Planners = { readonly [N in ToolName]: (input: Arguments<N>, applicationId: string) => Plan };

/** Turns calls of tools into calls of operations, and answers of operations into results. */
@Injectable()
export class Tools {
  readonly #keys: AcceptedKeys;
  readonly #plan: Planners = {
    find_place: (input) => ({ call: placesCall(input), show: (answer) => shown(answer, 'Places.', ['places']) }),
    search: (input) => ({ call: searchCall(input), show: (answer) => offersShown(answer, input.more) }),
    price: (input) => ({ call: priceCall(input), show: (answer) => shown(answer, 'A quote.', ['quote']) }),
    book: (input, app) => reservation(bookCall(input, this.#confirmed(input.quote_id, app), app)),
    read_reservation: (input) => reservation(readCall(input)),
    change_reservation: (input, app) => reservation(changeCall(input, this.#confirmed(input.quote_id, app))),
    cancel_reservation: (input) => reservation(cancelCall(input)),
    why_missing: ({ search_id: id, supplier }) => ({
      call: pageCall(id),
      show: (answer) => missingShown(answer, supplier),
    }),
  };

  constructor(@Inject(KEYS) keys: Keys) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /**
   * Runs a tool: one operation is called, or none if the arguments are refused. Rejects only if the operation couldn't be
   * called.
   */
  async run(name: string, input: unknown, caller: ToolCaller): Promise<CallToolResult> {
    try {
      const { call, show } = this.#planOf(name, input, caller.applicationId);
      const answer = await caller.send(call);
      return answer.status < 300 ? show(answer) : failed(answer);
    } catch (error) {
      if (error instanceof Refusal) return refused(error);
      throw error;
    }
  }

  #planOf(name: string, input: unknown, applicationId: string): Plan {
    if (!Object.hasOwn(INPUTS, name)) throw new Refusal(`No such tool. There are: ${Object.keys(INPUTS).join(', ')}.`);
    const tool = name as ToolName;
    const checked = (INPUTS[tool] as z.ZodType).safeParse(input ?? {});
    if (!checked.success) throw new Refusal(problemsOf(checked.error));
    return (this.#plan[tool] as (input: unknown, applicationId: string) => Plan)(checked.data, applicationId);
  }

  #confirmed(quoteId: string | undefined, applicationId: string): Total | undefined {
    return quoteId === undefined ? undefined : confirmedTotal(quoteId, applicationId, this.#keys);
  }
}

function reservation(call: OwnCall): Plan {
  return { call, show: (answer) => shown(answer, stateOf(answer), ['reservation']) };
}

/** Whether it is booked, in words: what isn't final isn't a success. */
function stateOf({ status, body }: OwnAnswer): string {
  const { state } = (body.reservation ?? {}) as { state?: string };
  const open = status === 202 ? ' The outcome is not final: call read_reservation until it is.' : '';
  return `The reservation is ${state}.${open}`;
}

/** The first five problems, each with its field. */
function problemsOf({ issues }: z.core.$ZodError): string {
  const lines = issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.join('.').slice(0, 80) || 'arguments'}: ${message}`);
  return lines.join('; ').slice(0, 1_000);
}
