import { Module } from '@nestjs/common';
import { CountWriter } from './count-writer.service.js';

/** What the gateways' own measurements say about the service: counts of calls and failures. */
@Module({ providers: [CountWriter] })
export class IncidentsModule {}
