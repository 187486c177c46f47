import type { FastifyRequest } from 'fastify';
import type { LimitDecision } from '../store/limits.js';
import type { ApplicationPolicy } from '../store/store.js';

/** Who calls: what the bearer guard found in its one store call. */
export interface Principal {
  readonly policy: ApplicationPolicy;
  readonly decision: LimitDecision;
}

/** The caller of an authenticated route. Throws where the bearer guard did not run: a bug of ours. */
export function principalOf(request: FastifyRequest): Principal {
  const principal = (request as FastifyRequest & { user?: Principal }).user;
  if (!principal) throw new Error('the route is not authenticated');
  return principal;
}
