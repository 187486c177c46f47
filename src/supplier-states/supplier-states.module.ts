import { Module } from '@nestjs/common';
import { SupplierStatesService } from './supplier-states.service.js';

/** Applies the supplier states that operators set at run time. */
@Module({ providers: [SupplierStatesService] })
export class SupplierStatesModule {}
