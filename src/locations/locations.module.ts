import { Module } from '@nestjs/common';
import { LocationController } from './location.controller.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { LocationsService } from './locations.service.js';

/** The product Location Keyword Search. */
@Module({
  controllers: [LocationsController, LocationController],
  providers: [LocationsService, LocationService],
})
export class LocationsModule {}
