import { Global, Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { AccountService } from './account.service.js';
import { AccountLinks } from './account-links.js';
import { AccountMail } from './account-mail.js';
import { BackgroundTasks } from './background-tasks.js';
import { DeviceCookies } from './device-cookies.js';
import { LogInService } from './log-in.service.js';
import { Passwords } from './passwords.js';
import { SecondFactors } from './second-factors.service.js';
import { SessionsService } from './sessions.service.js';
import { SignUpService } from './sign-up.service.js';

/** Accounts and sessions (spec §1.1). */
@Global()
@Module({
  imports: [MailModule],
  providers: [
    Passwords,
    AccountLinks,
    AccountMail,
    BackgroundTasks,
    DeviceCookies,
    SecondFactors,
    SessionsService,
    SignUpService,
    LogInService,
    AccountService,
  ],
  exports: [AccountLinks, AccountService, DeviceCookies, LogInService, SecondFactors, SessionsService, SignUpService],
})
export class AccountsModule {}
