import { Global, Module } from '@nestjs/common';
import { Delivery } from './delivery.js';
import { Mailer } from './mailer.js';
import { Outbox } from './outbox.js';
import { OutboxKey } from './outbox-key.js';
import { SiteAddress } from './site-address.js';

/** Emails: written to the outbox and delivered over SMTP in the background. */
@Global()
@Module({
  providers: [Outbox, OutboxKey, Delivery, Mailer, SiteAddress],
  exports: [Delivery, Mailer, Outbox, OutboxKey, SiteAddress],
})
export class MailModule {}
