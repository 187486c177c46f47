import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { Attempts } from './attempts.js';
import { LogInController } from './log-in.controller.js';
import { OutboxController } from './outbox.controller.js';
import { ResetController } from './reset.controller.js';
import { SignUpController } from './sign-up.controller.js';
import { VerifyController } from './verify.controller.js';

/** Account pages: sign-up, login, password, account settings, and the outbox of a sandbox. */
@Module({
  controllers: [
    SignUpController,
    VerifyController,
    LogInController,
    ResetController,
    AccountController,
    OutboxController,
  ],
  providers: [Attempts],
})
export class AccountsPagesModule {}
