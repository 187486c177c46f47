import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveryLog } from './delivery-log.js';
import { DeliveryQueue } from './delivery-queue.js';
import { EndpointStore } from './endpoint-store.js';
import { EndpointsController } from './endpoints.controller.js';
import { EndpointsService } from './endpoints.service.js';
import { SuspensionNotices } from './suspension-notices.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookSender } from './webhook-sender.js';
import { WebhookWorker } from './webhook-worker.js';

/** The product Webhooks, and the delivery of events. */
@Module({
  controllers: [EndpointsController, DeliveriesController],
  providers: [
    WebhookSecrets,
    EndpointStore,
    DeliveryLog,
    EndpointsService,
    DeliveryQueue,
    WebhookSender,
    SuspensionNotices,
    WebhookWorker,
  ],
  exports: [DeliveryLog, EndpointStore],
})
export class WebhooksModule {}
