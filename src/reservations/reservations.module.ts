import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { OffersModule } from '../offers/offers.module.js';
import { AuditCopies } from './audit-copies.js';
import { BookingService } from './booking.service.js';
import { BookingLookup } from './booking-lookup.js';
import { BookingQuota } from './booking-quota.js';
import { CancelService } from './cancel.service.js';
import { ChangeService } from './change.service.js';
import { Idempotency } from './idempotency.js';
import { IntentJournal } from './intent-journal.js';
import { PersonalDataRetention } from './personal-data.js';
import { PresentBooking } from './present-booking.js';
import { QuoteUses } from './quote-uses.js';
import { Reconciler } from './reconciler.js';
import { RentalEnds } from './rental-ends.js';
import { ReservationRepository } from './reservation.repository.js';
import { ReservationChecks } from './reservation-checks.js';
import { ReservationKeys } from './reservation-keys.js';
import { ReservationList } from './reservation-list.js';
import { ReservationRequests } from './reservation-requests.service.js';
import { ReservationWriter } from './reservation-writer.js';
import { ReservationsController } from './reservations.controller.js';
import { StrayChecks } from './stray-checks.js';
import { TestClockController } from './test-clock.controller.js';
import { TestClockService } from './test-clock.service.js';
import { VoucherController } from './voucher.controller.js';
import { VoucherService } from './voucher.service.js';

/** The product Car Reservation. */
@Module({
  imports: [AuthModule, OffersModule],
  controllers: [ReservationsController, VoucherController],
  providers: [
    ReservationRepository,
    ReservationKeys,
    ReservationWriter,
    IntentJournal,
    AuditCopies,
    ReservationRequests,
    ReservationList,
    VoucherService,
    Idempotency,
    QuoteUses,
    BookingQuota,
    BookingService,
    ChangeService,
    CancelService,
    BookingLookup,
    PresentBooking,
    StrayChecks,
    ReservationChecks,
    Reconciler,
    PersonalDataRetention,
    RentalEnds,
    TestClockService,
  ],
  exports: [TestClockService],
})
export class ReservationsModule {}

/** The operations on test clocks, in the sandbox only. */
@Module({ imports: [AuthModule, ReservationsModule], controllers: [TestClockController] })
export class TestClockModule {}
