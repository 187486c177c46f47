import { Module } from '@nestjs/common';
import { ImagesController } from './images.controller.js';
import { SuppliersController } from './suppliers.controller.js';
import { SuppliersService } from './suppliers.service.js';
import { VehiclesController } from './vehicles.controller.js';

/** The products Supplier Content and Vehicle Content, and their pictures. */
@Module({
  controllers: [SuppliersController, VehiclesController, ImagesController],
  providers: [SuppliersService],
})
export class ContentModule {}
