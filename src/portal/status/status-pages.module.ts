import { Module } from '@nestjs/common';
import { AccountsModule } from '../../accounts/accounts.module.js';
import { IncidentsModule } from '../../incidents/incidents.module.js';
import { StatusController } from './status.controller.js';

/** The status page. */
@Module({ imports: [AccountsModule, IncidentsModule], controllers: [StatusController] })
export class StatusPagesModule {}
