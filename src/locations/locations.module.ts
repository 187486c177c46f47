import { Module } from '@nestjs/common';
import { LocationController } from './location.controller.js';
import { LocationService } from './location.service.js';
import { LocationsController } from './locations.controller.js';
import { LocationsService } from './locations.service.js';
import { PlacesController } from './places.controller.js';
import { PlacesService } from './places.service.js';

/** The products Location Keyword Search and Place Search. */
@Module({
  controllers: [LocationsController, LocationController, PlacesController],
  providers: [LocationsService, LocationService, PlacesService],
})
export class LocationsModule {}
