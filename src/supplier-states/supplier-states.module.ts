import { Module } from '@nestjs/common';
import { SupplierStatesService } from './supplier-states.service.js';
import { Switches } from './switches.service.js';

/** Applies the supplier states and switches that operators set at run time. */
@Module({ providers: [SupplierStatesService, Switches], exports: [Switches] })
export class SupplierStatesModule {}
