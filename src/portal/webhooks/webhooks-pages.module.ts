import { Module } from '@nestjs/common';
import { WebhooksModule } from '../../webhooks/webhooks.module.js';
import { ApplicationsPagesModule } from '../applications/applications-pages.module.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { WebhooksPagesController } from './webhooks.controller.js';

/** Pages for the webhook endpoints of applications. */
@Module({
  imports: [ApplicationsPagesModule, WebhooksModule],
  controllers: [WebhooksPagesController],
  providers: [HeavyViews],
})
export class WebhooksPagesModule {}
