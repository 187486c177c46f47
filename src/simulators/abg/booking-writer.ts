import type { SimulatedBooking } from '../bookings.js';
import type { Inventory, SimulatedCar, SimulatedRental } from '../world.js';
import { type AbgFailure, AbgRefusal } from './answers.js';
import { priceOptions } from './option-prices.js';
import type { PricedRental } from './rental-reader.js';
import { bookedRateJson, rentalPartsJson } from './rental-writer.js';
import { carJson } from './vehicle-writer.js';

/** For a booking made from other inventories (the seed has changed): the backend fails. */
const BACKEND_FAILED: AbgFailure = {
  status: 500,
  code: '610',
  reason: 'System exception from e-com backend.',
  details: 'The reservation does not match the inventory.',
};

/** The members that only a booking has: number, dates, the car and whether it is on request, flight and remark. */
export function bookingJson(booking: SimulatedBooking, car: SimulatedCar): object {
  const { confirmation, pickupDate, dropoffDate, status, flight, remark } = booking;
  const [airline, number] = flight?.split(' ') ?? [];
  return {
    confirmation: { number: confirmation, pickup_date: pickupDate, dropoff_date: dropoffDate },
    vehicle: carJson(car, {
      vehicle_onrequest_status: status === 'on_request' ? 'Pending' : status === 'rejected' ? 'Denied' : 'Confirmed',
    }),
    arrival_flight: flight === undefined ? undefined : { airline_code: airline, airline_number: number },
    remark,
  };
}

/** `reservation` of a view, with the `proof` of the booked rate if one is given. Throws AbgRefusal 610 if the inventories do not have the location, car or option. */
export function viewJson(
  booking: SimulatedBooking,
  inventories: Readonly<Record<string, Inventory>>,
  proof: string | undefined,
): object {
  const priced = rebuilt(booking, inventories);
  return {
    ...rentalPartsJson(priced),
    rate_totals: bookedRateJson(priced, booking.total, proof),
    ...bookingJson(booking, priced.offer.car),
    customer: {
      contact: {
        first_name: booking.firstName,
        last_name: booking.lastName,
        email: booking.email,
        telephone: booking.phone,
      },
    },
  };
}

function rebuilt(booking: SimulatedBooking, inventories: Readonly<Record<string, Inventory>>): PricedRental {
  const { brand, pickupDate, dropoffDate, age, countryCode, rateCode, prepaid, total } = booking;
  const inventory = inventories[brand];
  const pickup = inventory?.locationByCode(booking.pickupCode);
  const dropoff = inventory?.locationByCode(booking.dropoffCode);
  if (!inventory || !pickup || !dropoff) throw new AbgRefusal(BACKEND_FAILED);
  const rental: SimulatedRental = { pickup, dropoff, pickupDate, dropoffDate, age };
  const offer = inventory.carsFor(rental).find(({ car }) => car.sippCode === booking.sippCode);
  if (!offer) throw new AbgRefusal(BACKEND_FAILED);
  const insurance = booking.coverages.map((code) => ({ code }));
  const options = priceOptions(inventory, rental, offer, booking.extras, insurance);
  return { brand, countryCode, rental, offer, rateCode, prepaid, paid: offer.price, options, total };
}
