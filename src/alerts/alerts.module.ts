import { Module } from '@nestjs/common';
import { Alerts } from './alerts.service.js';
import { AutomaticReturn } from './automatic-return.js';
import { OperatorMail } from './operator-mail.js';

/** Alerts of the gateway itself about its objectives, without Prometheus (docs/alerting.md). */
@Module({ providers: [Alerts, AutomaticReturn, OperatorMail] })
export class AlertsModule {}
