import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OpenApiExamples, takeExamples } from '../support/openapi-examples.js';
import { PROJECT } from '../support/project.js';
import { sharedGateway } from '../support/shared-gateway.js';

const stored = JSON.parse(
  readFileSync(join(PROJECT, 'src', 'system', 'openapi-examples.json'), 'utf8'),
) as OpenApiExamples;

/** The members down to a depth, each with its path, in alphabetical order. What an array holds isn't compared: it varies with offers. */
function members(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return [];
  return Object.entries(value)
    .flatMap(([name, member]) => [name, ...members(member, depth - 1).map((inner) => `${name}.${inner}`)])
    .sort();
}

describe('the examples of the API description', () => {
  const running = sharedGateway();

  test('are what a gateway answers: the same operations, statuses and members', async () => {
    const { gateway } = running();
    const of = (name: 'demo' | 'demo-unsubscribed') => {
      const { client_id, client_secret } = gateway.credentials(name);
      return { client_id, client_secret };
    };
    const { baseUrl } = gateway;
    const fresh = await takeExamples({ baseUrl, demo: of('demo'), unsubscribed: of('demo-unsubscribed') });
    expect(members(fresh, 5)).toEqual(members(stored, 5));
    const trailing = await fetch(`${baseUrl}/cars/locations/v1`);
    expect([trailing.status, (await fetch(`${baseUrl}/cars/locations/v1/`)).status]).toEqual([401, 401]);
  });
});
