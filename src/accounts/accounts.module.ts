import { Global, Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { SessionsService } from './sessions.service.js';

/** Accounts of people and their sessions (spec §1.1). */
@Global()
@Module({
  imports: [MailModule],
  providers: [SessionsService],
  exports: [SessionsService],
})
export class AccountsModule {}
