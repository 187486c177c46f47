import { chooseScenario, type Scenario, throwFault } from './scenario.js';

/** Budget of a request whose scenario says fault=408: it really runs out. */
const FAULT_408_BUDGET_MS = 50;

/**
 * Chooses the scenario of a request and plays its gateway fault, if it has one: throws the answer of that row, or for 408 shortens the
 * budget and lets every supplier be slow, so that the real path answers. What was chosen is echoed in X-Sandbox-Applied.
 */
export function enterScenario(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  places: readonly string[],
  applicationDefault: string | undefined,
  environment: 'sandbox' | 'production',
  suppliers: readonly string[],
  scope: { resetBudget(ms: number): void },
  reply: { header(name: string, value: string): unknown },
): Scenario | undefined {
  const header = headers['x-sandbox-scenario'];
  const scenario = chooseScenario({
    environment,
    header: Array.isArray(header) ? header.join('; ') : header,
    places: places.map((place) => place.toUpperCase()),
    applicationDefault,
    suppliers,
  });
  if (scenario) reply.header('x-sandbox-applied', `${scenario.source}: ${scenario.text}`);
  if (!scenario?.fault) return scenario;
  throwFault(scenario.fault);
  scope.resetBudget(FAULT_408_BUDGET_MS);
  return { ...scenario, directiveFor: () => 'timeout', bookingDirective: () => 'timeout' };
}
