import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { CONFIG, type Config } from '../../config/config.module.js';
import { withOrigin } from '../../database/audit-origin.js';
import { contextOf } from '../../http/context.decorator.js';
import { withLocalCookies } from './local-cookies.js';

/**
 * What a page's handler records in the audit log has the address of its visitor and the id of the request. Its cookies are such as the
 * visitor's browser keeps.
 */
@Injectable()
export class PageOrigin implements NestInterceptor {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'environment'>) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = execution.switchToHttp().getRequest<FastifyRequest>();
    const { environment } = this.config;
    const origin = { channel: 'page', environment, address: request.ip, requestId: contextOf(request).id } as const;
    return withOrigin(origin, () => next.handle()).pipe(map((answer: unknown) => withLocalCookies(request, answer)));
  }
}
