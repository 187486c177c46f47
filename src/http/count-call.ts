import { serviceCounts } from '../metrics/service-counts.js';
import { sloCounts } from '../metrics/slo-counts.js';
import type { ContextRequest } from './open-request.js';

const LEAST_FAILURE = 500;
const BUDGET_OVER = 408;

/**
 * Counts an API call for the objectives and the status page, there as failed if the service didn't do its part (5xx and 408). Not counted: calls
 * whose end a sandbox scenario decides, calls during an announced maintenance, and requests that aren't API calls.
 */
export function countCall(request: ContextRequest, status: number): void {
  const { context, served, method, routeOptions, isMaintenance } = request;
  if (context?.scenario !== undefined || isMaintenance) return;
  sloCounts.request(method, routeOptions.url ?? '', status);
  const kind = served ? (served.productId === 'car_reservation' ? 'booking' : 'search') : kindOf(routeOptions.url);
  if (kind) serviceCounts.count('api', kind, status >= LEAST_FAILURE || status === BUDGET_OVER);
}

function kindOf(route: string | undefined): 'token' | undefined {
  return route?.startsWith('/oauth/') ? 'token' : undefined;
}
