import { bookingText } from '../../src/sandbox/trigger-text.js';
import {
  BOOKING_TRIGGERS,
  type BookingTrigger,
  REFUSAL_TRIGGERS,
  REQUEST_TRIGGERS,
  type RefusalTrigger,
  UNTRIGGERED,
} from '../../src/sandbox/triggers.js';
import { type Cause, causes } from '../../src/status/causes.js';
import { reasons } from '../../src/status/reasons.js';
import { create, expired, fresh, on, quoteOf, settled } from '../support/booking.js';
import type { HttpAnswer } from '../support/client.js';
import { vehiclesPath } from '../support/rental.js';
import { sharedGateway } from '../support/shared-gateway.js';

const RENTER = { first_name: 'Ada', last_name: 'Sample', email: 'ada@example.com' };

const running = sharedGateway();

/** The first offer that a trigger applies to. */
async function offerAt({ place, brand }: Pick<BookingTrigger, 'place' | 'brand'>): Promise<string> {
  const found = await running().client.get(vehiclesPath({ pickup_location: place, brand, max_results: '1' }));
  const [offer] = found.body.vehicles;
  if (!offer) throw new Error(`${brand} has no offer at ${place}: ${found.text.slice(0, 300)}`);
  return offer.offer_id;
}

const refused = (answer: HttpAnswer): unknown[] => [
  answer.status,
  ...answer.errors.map(({ reason, cause }) => [reason, cause]),
];

describe('the bookings of docs/sandbox.md', () => {
  // Some take seconds until their last state, so they are made together.
  const made = new Map<BookingTrigger, Promise<HttpAnswer>>();
  beforeAll(async () => {
    for (const trigger of BOOKING_TRIGGERS) {
      const { scenario } = trigger;
      const body = { offer_id: await offerAt(trigger), driver: RENTER };
      const answer = create(running().client, body, scenario === undefined ? {} : { scenario });
      // Its test shows it.
      answer.catch(() => undefined);
      made.set(trigger, answer);
    }
  });

  test('produce every outcome of a booking', () => {
    expect([...new Set(BOOKING_TRIGGERS.map(({ code }) => code))].sort()).toEqual([201, 202, 400, 404, 408, 500, 503]);
  });

  test.each(
    BOOKING_TRIGGERS.map(
      (trigger) => [trigger.code, trigger.reason ?? 'success', bookingText(trigger), trigger] as const,
    ),
  )(
    '%i %s: %s',
    async (code, _reason, _text, trigger) => {
      const { client } = running();
      const { reason, cause, states } = trigger;
      const answer = await made.get(trigger);
      if (!answer) throw new Error('it was not made');
      expect(refused(answer)).toEqual(reason === undefined ? [code] : [code, [reason, cause]]);
      const [first, last] = [states[0], states.at(-1)];
      if (first === undefined || last === undefined) return;
      const { reservation } = answer.body;
      expect(reservation.state).toBe(first);
      expect(
        (await settled(client, reservation.reservation_id, [last as typeof reservation.state], 25_000)).state,
      ).toBe(last);
    },
    30_000,
  );
});

describe('the business refusals of docs/sandbox.md', () => {
  /** `{ 'driver.age': '18' }` as a body: a dot starts a nested object, and an age is a number. */
  function bodyOf(fields: Readonly<Record<string, string>>): Record<string, unknown> {
    const body: Record<string, unknown> = { driver: { ...RENTER } };
    for (const [name, value] of Object.entries(fields)) {
      const [outer = '', inner = ''] = name.split('.');
      body[outer] = { ...(body[outer] as object | undefined), [inner]: inner === 'age' ? Number(value) : value };
    }
    return body;
  }

  /** What a row does beyond a single request. */
  const IN_STEPS: Readonly<Partial<Record<Cause, () => Promise<HttpAnswer>>>> = {
    idempotency_mismatch: async () => {
      const offer_id = await offerAt({ place: 'BOS', brand: 'Alpine' });
      const key = fresh('key');
      await create(running().client, { offer_id, driver: RENTER }, { key });
      return create(running().client, { offer_id, driver: { ...RENTER, last_name: 'Other' } }, { key });
    },
    quote_used: async () => {
      const offer_id = await offerAt({ place: 'BOS', brand: 'Alpine' });
      const { quote_id } = await quoteOf(running().client, { offer_id });
      await create(running().client, { quote_id, driver: RENTER });
      return create(running().client, { quote_id, driver: RENTER });
    },
    rate_expired: async () => {
      const offer_id = expired(await offerAt({ place: 'BOS', brand: 'Alpine' }));
      return create(running().client, { offer_id, driver: RENTER });
    },
  };

  async function provoke({ cause, request }: RefusalTrigger): Promise<HttpAnswer> {
    const { client } = running();
    const steps = IN_STEPS[cause];
    if (!request && steps) return steps();
    if (!request) throw new Error(`${cause} has no request and no steps`);
    const { operation, fields } = request;
    const offer_id = await offerAt(request);
    const scenario = request.scenario === undefined ? {} : { scenario: request.scenario };
    if (operation === 'createReservation') return create(client, { offer_id, ...bodyOf(fields) }, scenario);
    const { reservation } = (await create(client, { offer_id, driver: RENTER })).body;
    return on(
      client,
      'PATCH',
      reservation.reservation_id,
      { remark: 'Second key please' },
      { ...scenario, headers: fields },
    );
  }

  test('together with the other tables, name every cause once: with a trigger, or why it has none', () => {
    const triggers = [...REQUEST_TRIGGERS, ...BOOKING_TRIGGERS, ...REFUSAL_TRIGGERS];
    const triggered = new Set(triggers.flatMap(({ cause }) => cause ?? []));
    expect([...triggered, ...Object.keys(UNTRIGGERED)].sort()).toEqual(Object.keys(causes).sort());
  });

  test.each(REFUSAL_TRIGGERS.map((trigger) => [trigger.cause, trigger.how, trigger] as const))(
    '%s: %s',
    async (cause, _how, trigger) => {
      const { code, reason } = reasons[causes[cause].reason];
      expect(refused(await provoke(trigger))).toEqual([code, [reason, cause]]);
    },
    30_000,
  );
});
