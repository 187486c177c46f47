import { chooseScenario, throwFault } from '../sandbox/scenario.js';
import type { RequestContext } from './request-context.js';

/** Budget of a request whose scenario says fault=408: it really runs out. */
const FAULT_408_BUDGET_MS = 50;

/**
 * Chooses the scenario of an authenticated request, by header, magic place or the application's default, and plays its gateway fault, if it has
 * one: throws the answer of that row, or for 408 shortens the budget and lets every supplier be slow, so that the real path answers. What was
 * chosen is echoed in X-Sandbox-Applied. `places` are the codes that the request names, `simulated` the ids of suppliers that a scenario may name.
 */
export function enterScenario(context: RequestContext, places: readonly string[], simulated: readonly string[]): void {
  const { policy, exchange } = context;
  const header = exchange?.request.headers['x-sandbox-scenario'];
  const scenario = chooseScenario({
    environment: policy.environment,
    header: Array.isArray(header) ? header.join('; ') : header,
    places: places.map((place) => place.toUpperCase()),
    applicationDefault: policy.defaultScenario,
    suppliers: simulated,
  });
  if (!scenario) return;
  exchange?.header('x-sandbox-applied', `${scenario.source}: ${scenario.text}`);
  if (scenario.fault) {
    throwFault(scenario.fault);
    context.resetBudget(FAULT_408_BUDGET_MS);
    context.useScenario({ ...scenario, directiveFor: () => 'timeout', bookingDirective: () => 'timeout' });
  } else context.useScenario(scenario);
}
