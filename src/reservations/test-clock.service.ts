import { Injectable } from '@nestjs/common';
import { type ClockChange, TestClocks } from '../auth/test-clocks.js';
import type { Actor } from '../database/actor.js';
import { ReservationRepository } from './reservation.repository.js';

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

  async reset(applicationId: string, actor: Actor): Promise<void> {
    await this.clocks.reset(applicationId, actor);
  }
}
