import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { ProductList } from '../products/product-list.js';
import { AccountController } from './account.controller.js';
import { Attempts } from './attempts.js';
import { LogInController } from './log-in.controller.js';
import { OutboxController } from './outbox.controller.js';
import { ResetController } from './reset.controller.js';
import { SecondFactorController } from './second-factor.controller.js';
import { SignUpController } from './sign-up.controller.js';
import { VerifyController } from './verify.controller.js';

/** Account pages: sign-up, login, password, second factor, account settings, and the outbox of a sandbox. */
@Module({
  imports: [AuthModule],
  controllers: [
    SignUpController,
    VerifyController,
    LogInController,
    ResetController,
    AccountController,
    SecondFactorController,
    OutboxController,
  ],
  providers: [Attempts, ProductList],
})
export class AccountsPagesModule {}
