import { Global, Module } from '@nestjs/common';
import { Delivery } from './delivery.js';
import { Mailer } from './mailer.js';
import { Outbox } from './outbox.js';
import { SiteAddress } from './site-address.js';

/** Emails: written to the outbox and delivered over SMTP in the background. */
@Global()
@Module({
  providers: [Outbox, Delivery, Mailer, SiteAddress],
  exports: [Delivery, Mailer, Outbox, SiteAddress],
})
export class MailModule {}
