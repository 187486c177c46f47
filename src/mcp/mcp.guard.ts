import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parseToken } from '../auth/credentials.js';
import { CONFIG, type Config } from '../config/config.module.js';
import { loopTurns } from '../config/loop-turns.js';
import type { AdmittedMessage } from '../http/admission/admitting-server.js';
import { contextOf } from '../http/context.decorator.js';
import { type ContextRequest, isDoubled } from '../http/open-request.js';
import { ownOrigin } from '../http/own-origin.js';
import { ApiError } from '../status/api-error.js';
import type { ApplicationPolicy, Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';

/** A request that McpGuard let through. */
export type McpRequest = ContextRequest & { policy?: ApplicationPolicy };

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Checks the token and the origin of an MCP request before its body is read, then waits for a turn of the event loop. It charges
 * nothing: the operation that a tool calls does.
 */
@Injectable()
export class McpGuard implements CanActivate {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const request = execution.switchToHttp().getRequest<McpRequest>();
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const policy = isDoubled(request.raw.rawHeaders, 'authorization') ? undefined : await this.#policyOf(token);
    if (token === undefined || !policy) throw this.#refused(request, token !== undefined);
    this.#checkOrigin(request, policy);
    (request.raw as AdmittedMessage).accepted?.(token, policy.accountId);
    request.policy = policy;
    const context = contextOf(request);
    context.acceptedBy(async () => {
      if (!(await this.#policyOf(token))) throw this.#refused(request, true);
    });
    await loopTurns.takeFor(context, policy.accountId);
    return true;
  }

  async #policyOf(token = ''): Promise<ApplicationPolicy | undefined> {
    const parsed = parseToken(token);
    if (parsed?.environment !== this.config.environment) return undefined;
    return (await this.store.inspect(parsed, parsed.digest))?.policy;
  }

  /**
   * A page in a browser may call only if the application lists its origin. Names in Host prove nothing: that of a page
   * whose name was bound to this address is its own (DNS rebinding).
   */
  #checkOrigin({ headers: { origin }, host }: FastifyRequest, { allowedOrigins = [] }: ApplicationPolicy): void {
    if (origin === undefined || allowedOrigins.includes(origin)) return;
    const named = /^https?:\/\/([^/]+)$/i.exec(origin)?.[1] ?? '';
    if (LOOPBACK.test(named) && LOOPBACK.test(host)) return;
    throw ApiError.of('permissions_failure', 'The application does not list this web origin.', { field: 'Origin' });
  }

  #refused(request: FastifyRequest, isSent: boolean): ApiError {
    const { origin } = ownOrigin(request, this.config);
    const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    const problem = isSent ? 'error="invalid_token", ' : '';
    return ApiError.of(
      'authentication_failure',
      isSent ? 'The access token is invalid, expired, or revoked.' : 'The request has no access token.',
      { headers: { 'www-authenticate': `Bearer realm="cars", ${problem}${metadata}` } },
    );
  }
}
