import { serviceCounts } from '../metrics/service-counts.js';
import { sloCounts } from '../metrics/slo-counts.js';
import type { ContextRequest } from './open-request.js';

const LEAST_FAILURE = 500;
const BUDGET_OVER = 408;
const ALL_FAILED = 500;
/** Refused inputs and callers: one account could send thousands of them, which would hide the failures of others. */
const REFUSED = [400, 401, 403, 429];

/**
 * Counts an API call for the objectives and the status page, as failed if the service didn't do its part (5xx and 408).
 * Not counted: calls whose end a sandbox scenario decides, searches without results whose caller waited too briefly, calls during an announced maintenance, refused inputs, callers who may not call,
 * 408 for a body that the caller didn't send, and requests that aren't API calls.
 */
export function countCall({ context, method, raw, routeOptions, isMaintenance }: ContextRequest, status: number): void {
  if (context?.scenario !== undefined || isMaintenance || REFUSED.includes(status)) return;
  if (status === BUDGET_OVER && !raw.complete) return;
  if (status === ALL_FAILED && context?.isCutShort) return;
  const route = routeOptions.url ?? '';
  sloCounts.request(method, route, status);
  const kind = kindOf(route);
  const isFailed = status >= LEAST_FAILURE || status === BUDGET_OVER;
  if (kind) serviceCounts.count('api', kind, isFailed, context?.accountId);
}

/** Not from the product's version: that is chosen after the token was checked, which may fail. */
function kindOf(route: string): 'search' | 'booking' | 'token' | undefined {
  if (route.startsWith('/cars/reservation')) return 'booking';
  if (route.startsWith('/cars/catalog') || route.startsWith('/cars/locations')) return 'search';
  return route.startsWith('/oauth/') ? 'token' : undefined;
}
