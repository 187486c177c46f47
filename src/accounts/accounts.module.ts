import { Global, Module } from '@nestjs/common';
import { SessionsService } from './sessions.service.js';

/** Accounts of people and their sessions (spec §1.1). */
@Global()
@Module({
  providers: [SessionsService],
  exports: [SessionsService],
})
export class AccountsModule {}
