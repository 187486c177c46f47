import { expect, it } from '@jest/globals';
import pino from 'pino';
import { EVERYONE } from './application-breakers.js';
import { ResilienceLog } from './resilience-log.js';

const logger = pino({ level: 'silent' });

it('shares each opening after failed calls once, but none after slow calls, failed probes or openings that follow others', () => {
  const log = new ResilienceLog(logger, () => false);
  for (const reason of ['failures', 'slow', 'probe', 'others', 'other_gateway'] as const)
    log.moved(reason, 'book', 'app_a', 'open', reason, 5_000, 'req_1');
  log.moved('well', 'book', 'app_a', 'closed', 'probe', 5_000, 'req_1');
  log.moved('failures', 'book', EVERYONE, 'open', 'failures', 5_000, 'req_1');
  expect([log.takeTrips(), log.takeTrips()]).toMatchObject([
    [
      { supplier: 'failures', operation: 'book', scope: 'app_a', openMs: 5_000 },
      { supplier: 'failures', operation: 'book', scope: EVERYONE, openMs: 5_000 },
    ],
    [],
  ]);
});

it('shares nothing while this gateway is too busy to judge, and logs that it was', () => {
  const lines: string[] = [];
  const watched = pino({}, { write: (line: string) => lines.push(line) });
  for (const isLagging of [true, false]) {
    const log = new ResilienceLog(watched, () => isLagging);
    log.moved('uno', 'book', 'app_a', 'open', 'failures', 5_000, 'req_1');
    expect(log.takeTrips()).toHaveLength(isLagging ? 0 : 1);
  }
  expect(lines.map((line) => line.includes('"lagging":true'))).toEqual([true, false]);
});
