import { chooseScenario, throwFault } from '../sandbox/scenario.js';
import type { RequestContext } from './request-context.js';

/** Request budget for `fault=408`, so short that it really runs out. */
const FAULT_408_BUDGET_MS = 50;

/**
 * Chooses the scenario of an authenticated request from its header, a magic place or the application's default, and
 * returns it in X-Sandbox-Applied. If it has a gateway fault, throws that error; for 408 it shortens the request budget
 * and makes every supplier time out instead, so that the real code path answers. `places` holds the codes in the
 * request, `simulated` the suppliers that a scenario may name.
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
  if (scenario.fault?.status === 408) {
    context.resetBudget(FAULT_408_BUDGET_MS);
    context.useScenario({ ...scenario, directiveFor: () => 'timeout', bookingDirective: () => 'timeout' });
    return;
  }
  // Also before a fault is thrown: code that counts failures must know that a scenario made this one.
  context.useScenario(scenario);
  if (scenario.fault) throwFault(scenario.fault);
}
