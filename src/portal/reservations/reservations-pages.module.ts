import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { HeavyViews } from '../shell/heavy-views.js';
import { OwnReservations } from './own-reservations.js';
import { ReservationsPagesController } from './reservations.controller.js';

/** The reservations of developers. */
@Module({
  imports: [AuthModule],
  controllers: [ReservationsPagesController],
  providers: [OwnReservations, HeavyViews],
  exports: [OwnReservations],
})
export class ReservationsPagesModule {}
