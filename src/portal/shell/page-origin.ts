import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { concatMap, from, lastValueFrom, map, type Observable } from 'rxjs';
import { loopTurns } from '../../config/loop-turns.js';
import { TurnMissedError, Turns } from '../../config/turns.js';
import { withOrigin } from '../../database/audit-origin.js';
import { Answer } from '../../http/answer.js';
import { contextOf } from '../../http/context.decorator.js';
import { throttled } from '../../status/throttled.js';
import { withLocalCookies } from './local-cookies.js';
import { callerOf, type PortalRequest, takeTurn } from './portal.guard.js';

/** Pages of one account, or of one network without a login, at a time: a person loads one, with what is on it. */
const MOST_AT_A_TIME = 4;
/** Longer than the burst that a caller may send usually takes. */
const WAIT_MS = 5_000;
const RETRY_SECONDS = 2;
/** For all pages of the process. */
const TURNS = new Turns(MOST_AT_A_TIME, WAIT_MS);

/**
 * What a page's handler records in the audit log has the address of its visitor and the id of the request. Pages of a caller
 * are made a few at a time and rendered in turn with those of others, and its cookies are such as the visitor's browser keeps. A page
 * that took long, whatever it waited for, is shown only if its session hasn't ended meanwhile. A form binds what it changes to the session itself
 * (changeBy), and may end it.
 */
@Injectable()
export class PageOrigin implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<PortalRequest>();
    const origin = { channel: 'page', address: request.ip, requestId: contextOf(request).id } as const;
    const make = () =>
      lastValueFrom(
        withOrigin(origin, () => next.handle()).pipe(
          concatMap((answer: unknown) => this.#inTurn(request, answer)),
          map((answer) => withLocalCookies(request, answer)),
        ),
      );
    // Forms of an account take turns of their own, and one that waits for a lock must not hold up pages.
    return from(request.method === 'GET' ? fewAtATime(request, make) : make());
  }

  /** The database answers many requests together, and each page is rendered after it. */
  async #inTurn(request: PortalRequest, answer: unknown): Promise<unknown> {
    const isForm = request.method !== 'GET';
    if (!isForm) await contextOf(request).reauthorizeIfLate();
    if (answer instanceof Answer) await (isForm ? loopTurns.take(callerOf(request)) : takeTurn(request));
    return answer;
  }
}

/** Throws ApiError 429 with Retry-After if the caller's other pages take too long. */
async function fewAtATime<T>(request: PortalRequest, make: () => Promise<T>): Promise<T> {
  try {
    return await contextOf(request).inTurn(TURNS, make, callerOf(request));
  } catch (error) {
    if (!(error instanceof TurnMissedError)) throw error;
    throw throttled(RETRY_SECONDS, 'Other pages of yours are being prepared.', 'Wait, then reload the page.');
  }
}
