import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { requestText, target } from '../../src/sandbox/trigger-text.js';
import { REQUEST_TRIGGERS } from '../../src/sandbox/triggers.js';
import { ERROR_ROWS } from '../../src/status/error-rows.js';
import { reasons, successes } from '../../src/status/reasons.js';
import { Client } from '../support/client.js';
import { dayAhead } from '../support/rental.js';
import { type Gateway, startGateway } from '../support/start-gateway.js';

describe('the requests of docs/sandbox.md', () => {
  let gateway: Gateway;
  let client: Client;
  beforeAll(async () => {
    gateway = await startGateway();
    client = await Client.of(gateway);
  }, 60_000);
  afterAll(async () => {
    client.close();
    await gateway.stop();
  });

  it('produce every reason of spec §7.3, and docs/errors.md explains each', () => {
    const every = Object.keys(reasons).sort();
    expect([...new Set(REQUEST_TRIGGERS.flatMap(({ reason }) => reason ?? []))].sort()).toEqual(every);
    expect([...new Set(ERROR_ROWS.map(({ reason }) => reason))].sort()).toEqual(every);
  });

  it('have the code of their reason, or that of a partial result', () => {
    const wrong = REQUEST_TRIGGERS.filter(({ code, reason }) =>
      reason === undefined ? !(code in successes) : code !== 206 && code !== reasons[reason].code,
    );
    expect(wrong).toEqual([]);
  });

  it.each(
    REQUEST_TRIGGERS.map(
      (trigger) => [trigger.code, trigger.reason ?? 'success', requestText(trigger), trigger] as const,
    ),
  )(
    '%i %s: %s',
    async (code, _reason, _text, trigger) => {
      const { reason, cause, scenario, authorization, application = 'demo', times = 1 } = trigger;
      const path = target(trigger, `pickup_date=${dayAhead(30)}&dropoff_date=${dayAhead(33)}`);
      const headers = {
        ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }),
        ...(authorization === undefined ? {} : { authorization }),
      };
      const token = authorization === undefined ? await client.token(application) : null;
      let answer = await client.get(path, { token, headers });
      for (let time = 1; time < times; time += 1) answer = await client.get(path, { token, headers });
      expect(answer.status).toBe(code);
      if (reason === undefined) expect(answer.reasons).toEqual([]);
      else expect(answer.reasons).toContain(reason);
      const causes = new Set(answer.errors.flatMap((entry) => entry.cause ?? []));
      if (reason === 'supplier_failure') expect([...causes]).toEqual([cause]);
    },
    20_000,
  );
});
