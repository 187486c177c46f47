import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorAnswers, takeErrorAnswers } from '../support/error-answers.js';
import { membersOf } from '../support/members.js';
import { type OpenApiExamples, takeExamples } from '../support/openapi-examples.js';
import { PROJECT } from '../support/project.js';
import { sharedGateway } from '../support/shared-gateway.js';

const stored = JSON.parse(
  readFileSync(join(PROJECT, 'src', 'system', 'openapi-examples.json'), 'utf8'),
) as OpenApiExamples;
const errors = JSON.parse(
  readFileSync(join(PROJECT, 'src', 'portal', 'docs', 'error-answers.json'), 'utf8'),
) as ErrorAnswers;

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
    expect(membersOf(fresh, 5)).toEqual(membersOf(stored, 5));
    const taken = await takeErrorAnswers(baseUrl, await running().client.token());
    expect(membersOf(taken, 2)).toEqual(membersOf(errors, 2));
    const trailing = await fetch(`${baseUrl}/cars/locations/v1`);
    expect([trailing.status, (await fetch(`${baseUrl}/cars/locations/v1/`)).status]).toEqual([401, 401]);
  });
});
