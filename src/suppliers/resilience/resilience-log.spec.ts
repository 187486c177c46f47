import { expect, it } from '@jest/globals';
import pino from 'pino';
import { ResilienceLog } from './resilience-log.js';

it('shares each breaker that opened on failed or slow calls once, but no failed probes and no breakers opened by other gateways', () => {
  const log = new ResilienceLog(pino({ level: 'silent' }));
  for (const reason of ['failures', 'slow', 'probe', 'other_gateway'] as const)
    log.moved(reason, 'book', 'open', reason, 5_000);
  log.moved('well', 'book', 'closed', 'probe', 5_000);
  expect([log.takeTrips(), log.takeTrips()]).toMatchObject([
    [
      { supplier: 'failures', operation: 'book', openMs: 5_000 },
      { supplier: 'slow', operation: 'book', openMs: 5_000 },
    ],
    [],
  ]);
});
