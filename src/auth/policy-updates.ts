import { setTimeout as wait } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { STRAGGLER_MS } from './application-admin.js';
import { ApplicationsService } from './applications.service.js';

/** Brings what the database says of an application to its live tokens, on every gateway. */
@Injectable()
export class PolicyUpdates {
  constructor(
    private readonly applications: ApplicationsService,
    @Inject(STORE) private readonly store: Store,
  ) {}

  /**
   * To be called after the change is committed; when it resolves, live tokens obey. Twice: a token call, or another change, that had read the
   * database a moment before may save the older policy after the first time. Rejects with StoreUnavailableError: then it may be called again.
   */
  async publish(applicationId: string): Promise<void> {
    await this.#save(applicationId);
    await wait(STRAGGLER_MS);
    await this.#save(applicationId);
  }

  async #save(applicationId: string): Promise<void> {
    const policy = await this.applications.policyOf(applicationId);
    if (policy) await this.store.savePolicy(policy);
  }
}
