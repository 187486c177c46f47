import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import type { Store } from '../store/store.js';
import { STORE } from '../store/store.module.js';
import { ApplicationsService } from './applications.service.js';

/** Applies the stored policy of an application to its active tokens on every gateway. */
@Injectable()
export class PolicyUpdates {
  constructor(
    private readonly applications: ApplicationsService,
    @Inject(STORE) private readonly store: Store,
  ) {}

  /**
   * Call it after the change is committed. Once it resolves, active tokens use the new policy. It reads the policy
   * again after saving, because another change may have been committed in between and saved earlier. Rejects with
   * StoreUnavailableError, after which it may be called again.
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
