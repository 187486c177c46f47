import { expect, it } from '@jest/globals';
import pino from 'pino';
import { EVERYONE } from './application-breakers.js';
import { ResilienceLog } from './resilience-log.js';

it('shares each opening after failed or slow calls once, but no failed probes and no openings that follow others', () => {
  const log = new ResilienceLog(pino({ level: 'silent' }));
  for (const reason of ['failures', 'slow', 'probe', 'others', 'other_gateway'] as const)
    log.moved(reason, 'book', 'app_a', 'open', reason, 5_000, 'req_1');
  log.moved('well', 'book', 'app_a', 'closed', 'probe', 5_000, 'req_1');
  log.moved('slow', 'book', EVERYONE, 'open', 'slow', 5_000, 'req_1');
  expect([log.takeTrips(), log.takeTrips()]).toMatchObject([
    [
      { supplier: 'failures', operation: 'book', scope: 'app_a', openMs: 5_000 },
      { supplier: 'slow', operation: 'book', scope: 'app_a', openMs: 5_000 },
      { supplier: 'slow', operation: 'book', scope: EVERYONE, openMs: 5_000 },
    ],
    [],
  ]);
});
