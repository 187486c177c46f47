import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { concatMap, map, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../../config/config.module.js';
import { withOrigin } from '../../database/audit-origin.js';
import { Answer } from '../../http/answer.js';
import { contextOf } from '../../http/context.decorator.js';
import { withLocalCookies } from './local-cookies.js';
import { type PortalRequest, takeTurn } from './portal.guard.js';

/**
 * What a page's handler records in the audit log has the address of its visitor and the id of the request. The page is
 * rendered in turn with others, and its cookies are such as the visitor's browser keeps.
 */
@Injectable()
export class PageOrigin implements NestInterceptor {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'environment'>) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<PortalRequest>();
    const { environment } = this.config;
    const origin = { channel: 'page', environment, address: request.ip, requestId: contextOf(request).id } as const;
    return withOrigin(origin, () => next.handle()).pipe(
      concatMap((answer: unknown) => this.#inTurn(request, answer)),
      map((answer) => withLocalCookies(request, answer)),
    );
  }

  /** The database answers many requests together, and each page is rendered after it. */
  async #inTurn(request: PortalRequest, answer: unknown): Promise<unknown> {
    if (answer instanceof Answer) await takeTurn(request);
    return answer;
  }
}
