import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ApplicationsService } from './applications.service.js';

/** Brings what the database says of an application to its live tokens, on every gateway. */
@Injectable()
export class PolicyUpdates {
  constructor(
    private readonly applications: ApplicationsService,
    @Inject(STORE) private readonly store: Store,
  ) {}

  /**
   * To be called after the change is committed; when it resolves, live tokens obey. Read once more after it is saved: another change may have been
   * committed between, and saved before. Rejects with StoreUnavailableError: then it may be called again.
   */
  async publish(applicationId: string): Promise<void> {
    for (let policy = await this.applications.policyOf(applicationId); policy; ) {
      await this.store.savePolicy(policy);
      const now = await this.applications.policyOf(applicationId);
      if (isDeepStrictEqual(now, policy)) return;
      policy = now;
    }
  }
}
