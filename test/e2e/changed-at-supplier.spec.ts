import {
  booked,
  driver,
  fresh,
  offerOf,
  on,
  path,
  type Reservation,
  read,
  reservationOf,
  type SupplierId,
} from '../support/booking.js';
import type { HttpAnswer, Offer } from '../support/client.js';
import { dayAhead } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const client = () => running().client;

const LATER = { pickup_date: dayAhead(60), dropoff_date: dayAhead(65) };
const EMAIL = { driver: { email: 'new@example.com' } };
const REMARK = { remark: 'Three cases' };

interface Moved {
  readonly id: string;
  readonly lastName: string;
  /** As accepted, and as the gateway still knows it. */
  readonly before: Reservation;
  readonly accepted: Offer;
}

/** A reservation that the supplier's own staff then moved to the later dates: the gateway doesn't learn of it. */
async function movedAtCounter(supplier: SupplierId): Promise<Moved> {
  const lastName = fresh();
  const accepted = await offerOf(client(), supplier);
  const sameClass = ({ status, rate, vehicle }: Offer) =>
    status === 'available' && rate.payment === 'pay_later' && vehicle.sipp_code === accepted.vehicle.sipp_code;
  const later = await offerOf(client(), supplier, LATER, sameClass);
  const { reservation_id: id } = await booked(client(), { offer_id: accepted.offer_id, driver: driver(lastName) });
  const query = (text: string, values: unknown[]) => running().postgres.query(text, values);
  const [known] = await query('select rental, view from reservations where id = $1', [id]);
  expect((await on(client(), 'PUT', id, { offer_id: later.offer_id })).status).toBe(200);
  // Later than the supplier's settle time after the booking.
  const sent = "sent_until = sent_until - interval '10 minutes'";
  await query(`update reservations set rental = $2, view = $3, ${sent} where id = $1`, [
    id,
    known?.rental,
    known?.view,
  ]);
  return { id, lastName, before: await read(client(), id), accepted };
}

async function bookedAt(supplier: SupplierId, lastName: string) {
  const [booking] = await running().simulators.bookings(supplier, lastName);
  return booking;
}

function told({ status, errors }: HttpAnswer): unknown[] {
  return [status, errors[0]?.reason, errors[0]?.cause, errors[0]?.supplier];
}

describe.each<[SupplierId, object]>([
  ['alpine', EMAIL],
  ['bravo', EMAIL],
  ['abg', REMARK],
])('dates that the staff of %s changed', (supplier, change) => {
  test('are not undone by a change of something else: 400 naming them, and the reservation shows them', async () => {
    const { id, lastName, before } = await movedAtCounter(supplier);
    expect(before.pickup.date).not.toBe(LATER.pickup_date);
    const answer = await on(client(), 'PATCH', id, change);
    expect(answer.status).toBe(400);
    expect(told(answer)).toEqual([400, 'invalid_request', 'booked_differently', supplier]);
    expect(answer.errors[0]?.details).toMatch(/ pickup_date, dropoff_date.*PUT/);
    expect(await bookedAt(supplier, lastName)).toMatchObject({
      pickupDate: LATER.pickup_date,
      dropoffDate: LATER.dropoff_date,
      status: 'confirmed',
      email: 'ada@example.com',
    });
    const after = await read(client(), id);
    expect(after).toMatchObject({
      state: 'confirmed',
      version: before.version + 1,
      booked_differently: LATER,
      pickup: before.pickup,
      driver: before.driver,
      price: before.price,
    });
    expect([after.remark, path(after)]).toEqual([before.remark, `${path(before)} confirmed`]);
    expect(after.history.at(-1)).toMatchObject({
      from: 'confirmed',
      actor: 'gateway',
      reason: 'looked up before a change, but with another pickup time, another dropoff time',
    });
    // Asking again isn't consent, and has nothing new to record.
    expect(told(await on(client(), 'PATCH', id, change))).toEqual(told(answer));
    expect((await read(client(), id)).version).toBe(after.version);
  });

  test('are replaced by a change that states the dates, after which others are possible', async () => {
    const { id, lastName, accepted } = await movedAtCounter(supplier);
    expect((await on(client(), 'PATCH', id, change)).status).toBe(400);
    const again = reservationOf(await on(client(), 'PUT', id, { offer_id: accepted.offer_id }));
    expect([again.pickup.date, again.booked_differently]).toEqual([accepted.pickup.date, undefined]);
    expect((await bookedAt(supplier, lastName))?.pickupDate).toBe(accepted.pickup.date);
    expect((await on(client(), 'PATCH', id, change)).status).toBe(204);
    expect(await read(client(), id)).toMatchObject({ pickup: { date: accepted.pickup.date }, ...change });
  });
});

test('a change that abg makes without restating the booking is made, without a look-up', async () => {
  const { id, lastName } = await movedAtCounter('abg');
  const calls = await running().simulators.calls();
  expect((await on(client(), 'PATCH', id, EMAIL)).status).toBe(204);
  expect((await running().simulators.calls()) - calls).toBe(1);
  expect(await bookedAt('abg', lastName)).toMatchObject({
    pickupDate: LATER.pickup_date,
    email: 'new@example.com',
  });
});
