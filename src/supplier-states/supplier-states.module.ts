import { Module } from '@nestjs/common';
import { SupplierStatesService } from './supplier-states.service.js';

/** States of suppliers that ops give at run time. */
@Module({ providers: [SupplierStatesService] })
export class SupplierStatesModule {}
