import {
  booked,
  create,
  driver,
  eventually,
  fresh,
  offerOf,
  on,
  path,
  QUICK,
  quoteOf,
  RESERVATIONS,
  type Reservation,
  read,
  reservationOf,
  SUPPLIERS,
  type SupplierId,
  settled,
} from '../support/booking.js';
import type { HttpAnswer, Offer } from '../support/client.js';
import { sharedGateway } from '../support/shared-gateway.js';

const running = sharedGateway();
const simulators = () => running().simulators;
const client = () => running().client;

const SETTLE_MS = QUICK.settings.reservations.settleSeconds * 1_000;

let offers: Record<SupplierId, Offer>;
beforeAll(async () => {
  offers = Object.fromEntries(
    await Promise.all(SUPPLIERS.map(async (id) => [id, await offerOf(client(), id)] as const)),
  ) as typeof offers;
});

interface Made {
  readonly lastName: string;
  readonly answer: HttpAnswer;
}

async function make(supplier: SupplierId, scenario: string, lastName = fresh(), key?: string): Promise<Made> {
  const body = { offer_id: offers[supplier].offer_id, driver: driver(lastName) };
  return {
    lastName,
    answer: await create(client(), body, {
      scenario: `${supplier}=${scenario}`,
      ...(key === undefined ? {} : { key }),
    }),
  };
}

function told(answer: HttpAnswer): unknown[] {
  const [entry] = answer.errors;
  return [answer.status, entry?.reason, entry?.cause];
}

/** Milliseconds from the call until the reservation reached its final state. */
function tookMs({ created_at, updated_at }: Reservation): number {
  return Date.parse(updated_at) - Date.parse(created_at);
}

/** Expects a 202 that says where and when to check. */
function expectOpen(answer: HttpAnswer, state: Reservation['state']): void {
  const { reservation_id, state: now } = reservationOf(answer);
  expect([answer.status, now, answer.headers.location, answer.headers['cache-control']]).toEqual([
    202,
    state,
    `${RESERVATIONS}${reservation_id}`,
    'no-store',
  ]);
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
}

const FINDABLE = ['alpine', 'bravo', 'dune'] as const;
const DONE = ['lost_then_found', 'empty', 'garbage', 'truncated'] as const;
const NOT_DONE = ['lost_for_good', 'reset', 'html', 'error(503)', 'error(500)', 'timeout'] as const;

// All of these need seconds to resolve, so they are started together.
const begun = new Map<string, Promise<Made>>();
const begin = (supplier: SupplierId, verb: string): void => {
  begun.set(`${supplier} ${verb}`, make(supplier, verb));
};
const made = async (supplier: SupplierId, verb: string): Promise<Made> => {
  const found = await begun.get(`${supplier} ${verb}`);
  if (!found) throw new Error(`${supplier} ${verb} was not begun`);
  return found;
};

beforeAll(async () => {
  for (const supplier of SUPPLIERS) {
    for (const verb of [...DONE, ...NOT_DONE, 'on_request']) begin(supplier, verb);
    begun.set(`${supplier} rejected`, make(supplier, 'on_request', 'Rejected'));
  }
  for (const supplier of FINDABLE) {
    const { offer_id } = await offerOf(client(), supplier, {}, ({ status }) => status === 'on_request');
    for (const verb of ['ok', 'lost_then_found']) {
      const lastName = fresh();
      const answer = create(client(), { offer_id, driver: driver(lastName) }, { scenario: `${supplier}=${verb}` });
      begun.set(
        `${supplier} offered ${verb}`,
        answer.then((given) => ({ answer: given, lastName })),
      );
    }
  }
  await Promise.all(begun.values());
});

describe('a booking whose answer is lost', () => {
  // At dune, garbage and truncated affect the hold, the first of its two steps, and lost_for_good the second: then a
  // hold remains.
  const HELD = ['garbage', 'truncated', 'lost_for_good'];
  const leavesHold = (supplier: SupplierId, verb: string): boolean => supplier === 'dune' && HELD.includes(verb);
  const rows = (verbs: readonly string[]) =>
    FINDABLE.flatMap((supplier) =>
      verbs.filter((verb) => !leavesHold(supplier, verb)).map((verb) => [supplier, verb] as const),
    );

  test.each(rows(DONE))(
    '%s %s, but it was made: 202 unknown, then confirmed automatically, with one booking',
    async (supplier, verb) => {
      const { answer, lastName } = await made(supplier, verb);
      expectOpen(answer, 'unknown');
      const after = await settled(client(), reservationOf(answer).reservation_id, [
        'confirmed',
        'failed',
        'manual_review',
      ]);
      expect(path(after)).toBe('pending unknown confirmed');
      expect(after.history.at(-1)?.actor).toBe('reconciler');
      expect(await simulators().bookings(supplier, lastName)).toMatchObject([
        { confirmation: after.confirmation_number, status: 'confirmed' },
      ]);
    },
  );

  test.each(HELD)(
    'dune %s, only the hold was made: 202 unknown, then failed automatically, and the hold is released',
    async (verb) => {
      const { answer, lastName } = await made('dune', verb);
      expectOpen(answer, 'unknown');
      const after = await settled(client(), reservationOf(answer).reservation_id, [
        'confirmed',
        'failed',
        'manual_review',
      ]);
      expect([path(after), await simulators().bookings('dune', lastName)]).toEqual(['pending unknown failed', []]);
      expect((await simulators().holds('dune')).filter((hold) => hold.lastName === lastName)).toEqual([]);
    },
  );

  test.each(rows(NOT_DONE))(
    '%s %s, and it was not made: 202 unknown, failed only after the settle time, no booking',
    async (supplier, verb) => {
      const { answer, lastName } = await made(supplier, verb);
      expectOpen(answer, 'unknown');
      const after = await settled(client(), reservationOf(answer).reservation_id, [
        'confirmed',
        'failed',
        'manual_review',
      ]);
      expect([path(after), await simulators().bookings(supplier, lastName)]).toEqual(['pending unknown failed', []]);
      expect(tookMs(after)).toBeGreaterThanOrEqual(SETTLE_MS);
      const { reservation_id: id } = after;
      const refused = [await on(client(), 'DELETE', id), await on(client(), 'PATCH', id, { remark: 'x' })];
      expect(refused.map(told)).toEqual(refused.map(() => [400, 'invalid_request', 'not_changeable']));
    },
  );

  describe('at abg, which cannot be queried without a number', () => {
    test.each([...DONE, ...NOT_DONE])(
      '%s: 202 unknown, then a person must resolve it; it is never sent again',
      async (verb) => {
        const { answer, lastName } = await made('abg', verb);
        expectOpen(answer, 'unknown');
        const after = await settled(client(), reservationOf(answer).reservation_id, [
          'confirmed',
          'failed',
          'manual_review',
        ]);
        expect(path(after)).toBe('pending unknown manual_review');
        const wasMade = (DONE as readonly string[]).includes(verb);
        expect(await simulators().bookings('abg', lastName)).toHaveLength(wasMade ? 1 : 0);
      },
    );
  });

  test('while its outcome is unknown, it can be neither changed nor cancelled: 400 not_changeable', async () => {
    const { answer } = await make('abg', 'lost_for_good');
    const { reservation_id: id } = reservationOf(answer);
    for (const ask of [() => on(client(), 'DELETE', id), () => on(client(), 'PATCH', id, { remark: 'x' })]) {
      expect(told(await ask())).toEqual([400, 'invalid_request', 'not_changeable']);
    }
  });

  test('its key replays the first answer, even after the reservation is resolved', async () => {
    const key = fresh('key');
    const lastName = fresh();
    const { answer } = await make('alpine', 'lost_then_found', lastName, key);
    await settled(client(), reservationOf(answer).reservation_id, ['confirmed']);
    const again = await make('alpine', 'lost_then_found', lastName, key);
    expect([again.answer.status, again.answer.text, again.answer.headers['idempotent-replayed']]).toEqual([
      202,
      answer.text,
      'true',
    ]);
    expect(await simulators().bookings('alpine', lastName)).toHaveLength(1);
  });
});

describe('a booking on request', () => {
  test.each(SUPPLIERS)('at %s is a 202, confirmed automatically once the supplier accepts it', async (supplier) => {
    const { answer, lastName } = await made(supplier, 'on_request');
    const { reservation_id: id, state, confirmation_number } = reservationOf(answer);
    expect([answer.status, state, answer.headers.location]).toEqual([202, 'on_request', `${RESERVATIONS}${id}`]);
    expect(confirmation_number).toBeDefined();
    const after = await settled(client(), reservationOf(answer).reservation_id, [
      'confirmed',
      'rejected',
      'expired',
      'manual_review',
    ]);
    expect(path(after)).toBe('pending on_request confirmed');
    expect(await simulators().bookings(supplier, lastName)).toMatchObject([{ status: 'confirmed' }]);
  });

  test.each(SUPPLIERS)('at %s that the supplier does not accept is rejected automatically', async (supplier) => {
    const { answer } = await made(supplier, 'rejected');
    const after = await settled(client(), reservationOf(answer).reservation_id, [
      'confirmed',
      'rejected',
      'expired',
      'manual_review',
    ]);
    expect(path(after)).toBe('pending on_request rejected');
    expect(told(await on(client(), 'DELETE', after.reservation_id))).toEqual([
      400,
      'invalid_request',
      'not_changeable',
    ]);
  });

  test.each(FINDABLE)('at %s by an on-request offer: likewise', async (supplier) => {
    const { answer } = await made(supplier, 'offered ok');
    expect([answer.status, reservationOf(answer).state]).toEqual([202, 'on_request']);
    await settled(client(), reservationOf(answer).reservation_id, ['confirmed']);
  });

  test.each(SUPPLIERS)('at %s can be cancelled before it is accepted, but not changed', async (supplier) => {
    const { answer, lastName } = await make(supplier, 'on_request');
    const { reservation_id: id } = reservationOf(answer);
    const refused = [400, 'invalid_request', 'not_changeable'];
    expect(told(await on(client(), 'PATCH', id, { remark: 'x' }))).toEqual(refused);
    expect((await on(client(), 'DELETE', id)).status).toBe(204);
    // Not even a change of nothing is made.
    for (const remark of ['x', null]) expect(told(await on(client(), 'PATCH', id, { remark }))).toEqual(refused);
    expect(path(await read(client(), id))).toBe('pending on_request cancel_pending cancelled');
    expect(await simulators().bookings(supplier, lastName)).toMatchObject([{ status: 'cancelled' }]);
  });

  test.each(FINDABLE)('at %s whose answer is lost is found on request, then confirmed', async (supplier) => {
    const { answer, lastName } = await made(supplier, 'offered lost_then_found');
    expectOpen(answer, 'unknown');
    const after = await settled(client(), reservationOf(answer).reservation_id, [
      'confirmed',
      'failed',
      'manual_review',
    ]);
    expect(path(after)).toBe('pending unknown on_request confirmed');
    expect(await simulators().bookings(supplier, lastName)).toHaveLength(1);
  });
});

describe('magic places', () => {
  const bookAt = async (place: string, supplier: SupplierId, more: object = {}): Promise<Made> => {
    const offer = await offerOf(client(), supplier, { pickup_location: place });
    const lastName = fresh();
    return {
      lastName,
      answer: await create(client(), { offer_id: offer.offer_id, driver: driver(lastName), ...more }),
    };
  };

  test('ZZT202: 202, later confirmed, one booking', async () => {
    const { answer, lastName } = await bookAt('ZZT202', 'alpine');
    expect(answer.headers['x-sandbox-applied']).toContain('ZZT202');
    expectOpen(answer, 'unknown');
    expect(
      (await settled(client(), reservationOf(answer).reservation_id, ['confirmed'])).confirmation_number,
    ).toBeDefined();
    expect(await simulators().bookings('alpine', lastName)).toHaveLength(1);
  });

  test('ZZTPRC: the price rises between offer and booking; once accepted, it is booked at the new price', async () => {
    const { answer, lastName } = await bookAt('ZZTPRC', 'bravo');
    expect([told(answer), await simulators().bookings('bravo', lastName)]).toEqual([
      [400, 'invalid_range', 'price_changed'],
      [],
    ]);
    const now = /total is now ([\d.]+) (\w+)/.exec(answer.errors[0]?.details ?? '');
    const again = await bookAt('ZZTPRC', 'bravo', { accepted_total: { amount: now?.[1], currency: now?.[2] } });
    expect([again.answer.status, (await simulators().bookings('bravo', again.lastName)).length]).toEqual([201, 1]);
  });

  test('ZZTSLD: 404 sold_out, nothing booked', async () => {
    for (const supplier of SUPPLIERS) {
      const { answer, lastName } = await bookAt('ZZTSLD', supplier);
      expect([supplier, ...told(answer), (await simulators().bookings(supplier, lastName)).length]).toEqual([
        supplier,
        404,
        'no_results',
        'sold_out',
        0,
      ]);
    }
  });

  test('a quote of such a place behaves the same', async () => {
    const offer = await offerOf(client(), 'alpine', { pickup_location: 'ZZTSLD' });
    const { quote_id } = await quoteOf(client(), { offer_id: offer.offer_id });
    expect(told(await create(client(), { quote_id, driver: driver(fresh()) }))).toEqual([
      404,
      'no_results',
      'sold_out',
    ]);
  });
});

describe('faults of the gateway itself', () => {
  test.each([
    ['fault=401', 401, 'authentication_failure', 'www-authenticate'],
    ['fault=403', 403, 'permissions_failure', undefined],
    ['fault=408', 408, 'timeout', undefined],
    ['fault=429', 429, 'throttled', 'retry-after'],
    ['fault=500', 500, 'unexpected_condition', undefined],
    ['fault=503(7)', 503, 'maintenance', 'retry-after'],
  ])(
    '%s on create, change and cancel: %d %s, no supplier is asked, nothing changes',
    async (scenario, status, reason, header) => {
      const lastName = fresh();
      const body = { offer_id: offers.alpine.offer_id, driver: driver(fresh()) };
      const standing = await booked(client(), body);
      const calls = await simulators().calls();
      const answers = [
        await create(client(), { ...body, driver: driver(lastName) }, { scenario, key: fresh('key') }),
        await on(client(), 'PATCH', standing.reservation_id, { remark: 'x' }, { scenario }),
        await on(client(), 'PUT', standing.reservation_id, { offer_id: offers.alpine.offer_id }, { scenario }),
        await on(client(), 'DELETE', standing.reservation_id, undefined, { scenario }),
        await on(client(), 'GET', standing.reservation_id, undefined, { scenario }),
      ];
      expect(answers.map((answer) => told(answer).slice(0, 2))).toEqual(answers.map(() => [status, reason]));
      if (header !== undefined) for (const answer of answers) expect(answer.headers[header]).toBeDefined();
      if (status === 408) for (const answer of answers) expect(answer.headers.connection).toBe('close');
      expect(await read(client(), standing.reservation_id)).toEqual(standing);
      expect([await simulators().calls(), await simulators().bookings('alpine', lastName)]).toEqual([calls, []]);
    },
  );

  test('an unknown verb in a scenario: 400, no supplier is called', async () => {
    const calls = await simulators().calls();
    const { answer } = await make('alpine', 'explode');
    expect([answer.status, answer.errors[0]?.field, await simulators().calls()]).toEqual([
      400,
      'X-Sandbox-Scenario',
      calls,
    ]);
  });

  test('a supplier slower than its timeout: 202, and its final outcome is found', async () => {
    const { answer, lastName } = await make('alpine', 'slow(3000)');
    expectOpen(answer, 'unknown');
    expect(answer.ms).toBeLessThan(3_000);
    const after = await settled(client(), reservationOf(answer).reservation_id, [
      'confirmed',
      'failed',
      'manual_review',
    ]);
    expect([after.state, (await simulators().bookings('alpine', lastName)).length]).toEqual(['confirmed', 1]);
  });

  test('/metrics counts what a person must resolve', async () => {
    const metrics = () => running().gateway.metrics();
    const counted =
      /forecourt_reservations_unclear\{(?=[^}]*supplier="abg")(?=[^}]*state="manual_review")[^}]*\} [1-9]/;
    await eventually(metrics, (text) => counted.test(text), 20_000);
  });
});
