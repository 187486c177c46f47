import { Injectable } from '@nestjs/common';
import { type ClockChange, TestClocks } from '../auth/test-clocks.js';
import type { Actor } from '../database/actor.js';
import { ReservationRepository } from './reservation.repository.js';
import type { ClockView } from './test-clock.wire.js';

/** Moves the test clocks of sandbox applications (decision 0087). What is due then happens within seconds. */
@Injectable()
export class TestClockService {
  constructor(
    private readonly clocks: TestClocks,
    private readonly repository: ReservationRepository,
  ) {}

  /** Throws what TestClocks.set throws. */
  async set(applicationId: string, change: ClockChange, actor: Actor): Promise<void> {
    await this.clocks.set(applicationId, change, actor);
    await this.repository.checkRequests(applicationId);
  }

  /** What the API says about the clock of an application. */
  view(applicationId: string): ClockView {
    const { aheadMs, outcome } = this.clocks.of(applicationId) ?? { aheadMs: 0, outcome: 'completed' as const };
    const real = this.clocks.realNow();
    return {
      now: new Date(real + aheadMs).toISOString(),
      real_now: new Date(real).toISOString(),
      ahead_seconds: Math.round(aheadMs / 1_000),
      outcome,
    };
  }

  async reset(applicationId: string, actor: Actor): Promise<void> {
    await this.clocks.reset(applicationId, actor);
  }
}
