import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { CASES, judge } from '../../src/contract-kit/judge.js';
import { type Level, levelReached } from '../../src/contract-kit/levels.js';
import type { BookRequest } from '../../src/model/bookings.js';
import { currencyDigits } from '../../src/model/money.js';
import type { SupplierOffer } from '../../src/model/offers.js';
import {
  type SupplierAdapter,
  type SupplierAnswer,
  type SupplierContext,
  SupplierError,
  type SupplierHttpAnswer,
} from '../../src/model/supplier.js';
import { createAdapter } from '../../src/suppliers/create-adapter.js';
import { PROJECT } from '../support/project.js';

const { suppliers } = loadConfig(join(PROJECT, 'config'), {});

/** A complete adapter with one defect. */
type Breaking = (whole: SupplierAdapter, url: string) => SupplierAdapter;

let underWay = 0;
const opened: Socket[] = [];
const timers: NodeJS.Timeout[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const timer of timers.splice(0)) clearInterval(timer);
});

/** The context with every answer inspected first; what `look` returns replaces it. */
function looking(context: SupplierContext, look: (answer: SupplierHttpAnswer) => SupplierHttpAnswer): SupplierContext {
  return { ...context, http: { send: async (call, repeatable) => look(await context.http.send(call, repeatable)) } };
}

/** Breaks the availability search only. */
function search(
  broken: (
    ask: (context: SupplierContext) => Promise<SupplierAnswer<SupplierOffer>>,
    context: SupplierContext,
    url: string,
  ) => Promise<SupplierAnswer<SupplierOffer>>,
): Breaking {
  return (whole, url) => ({
    ...whole,
    searchVehicles: (request, context) =>
      broken(async (inner) => (await whole.searchVehicles?.(request, inner)) ?? NOTHING, context, url),
  });
}

/** Without other operations of bronze: what blocks the process delays everything that is called concurrently. */
function alone(breaking: Breaking): Breaking {
  return (whole, url) => {
    const { searchLocations: _search, locationDetails: _details, ...broken } = breaking(whole, url);
    return broken;
  };
}

/** Breaks each offer of searches and price checks. */
function offers(broken: (offer: SupplierOffer) => SupplierOffer): Breaking {
  const each = async (
    answer: Promise<SupplierAnswer<SupplierOffer>> | undefined,
  ): Promise<SupplierAnswer<SupplierOffer>> => {
    const { items, warnings } = (await answer) ?? NOTHING;
    return { items: items.map(broken), warnings };
  };
  return (whole) => ({
    ...whole,
    searchVehicles: (request, context) => each(whole.searchVehicles?.(request, context)),
    priceCheck: (request, context) => each(whole.priceCheck?.(request, context)),
  });
}

/** Breaks each booking before it is sent. */
function bookings(broken: (request: BookRequest) => BookRequest): Breaking {
  return (whole) => ({ ...whole, book: (request, context) => present(whole.book?.(broken(request), context)) });
}

const NOTHING: SupplierAnswer<never> = { items: [], warnings: [] };

async function present<T>(asked: Promise<T> | undefined): Promise<T> {
  if (!asked) throw new Error('the whole adapter has every operation');
  return asked;
}

/** `failing`: the checks that it should fail; `supplier`: whose adapter it is, absent = alpine. */
type Mutant = readonly [what: string, level: Level, breaking: Breaking, failing: readonly string[], supplier?: string];

const BROKEN: readonly Mutant[] = [
  [
    'reads a 403 as a refusal of the search',
    'bronze',
    search((ask, context) =>
      ask(looking(context, (found) => (found.status === 403 ? { ...found, status: 400 } : found))),
    ),
    ['session_403.searchVehicles'],
    'abg',
  ],
  [
    'sends a booking again with the session that was refused',
    'gold',
    (whole) => ({
      ...whole,
      book: async (request, context) => {
        try {
          return await present(whole.book?.(request, context));
        } catch (error) {
          if (!(error instanceof SupplierError) || error.fault !== 'auth') throw error;
          return present(whole.book?.(request, context));
        }
      },
    }),
    ['restarted.book'],
    'abg',
  ],
  [
    'treats a 504 as "nothing found"',
    'bronze',
    search(async (ask, context) => {
      let gone = false;
      const answer = ask(
        looking(context, (found) => {
          gone = found.status === 504;
          return found;
        }),
      );
      return answer.catch((error: unknown) => {
        if (gone) return NOTHING;
        throw error;
      });
    }),
    ['http_504.searchVehicles'],
  ],
  [
    'throws a SyntaxError on a web page',
    'bronze',
    search((ask, context) =>
      ask(
        looking(context, (answer) => {
          if (answer.status === 200 && String(answer.headers['content-type']).includes('html'))
            throw new SyntaxError('unexpected <');
          return answer;
        }),
      ),
    ),
    ['html.searchVehicles'],
  ],
  [
    'follows a redirect',
    'bronze',
    search((ask, context) => {
      const { send } = context.http;
      return ask({
        ...context,
        http: {
          send: async (call, repeatable) => {
            const answer = await send(call, repeatable);
            return answer.status === 302
              ? send({ ...call, path: String(answer.headers.location) }, repeatable)
              : answer;
          },
        },
      });
    }),
    ['redirect.searchVehicles'],
  ],
  [
    "reports the supplier's limit as an outage",
    'bronze',
    search((ask, context) =>
      ask(context).catch((error: unknown) => {
        throw error instanceof SupplierError && error.fault === 'throttled'
          ? new SupplierError('unavailable', 'later')
          : error;
      }),
    ),
    ['own_throttled.searchVehicles', 'http_429.searchVehicles'],
  ],
  [
    'reports an empty answer as a failure',
    'bronze',
    search(async (ask, context) => {
      const answer = await ask(context);
      if (answer.items.length === 0) throw new SupplierError('bad_payload', 'nothing in it');
      return answer;
    }),
    ['empty.searchVehicles', 'sold_out.searchVehicles'],
  ],
  [
    'returns half cents',
    'bronze',
    offers((offer) => ({
      ...offer,
      price: { ...offer.price, total: { ...offer.price.total, amountMinor: offer.price.total.amountMinor + 0.5 } },
    })),
    ['shape.searchVehicles', 'shape.locationDetails'],
  ],
  [
    'returns a brand of another supplier',
    'bronze',
    offers((offer) => ({ ...offer, brand: 'Elsewhere' })),
    ['shape.searchVehicles', 'shape.locationDetails'],
  ],
  [
    'returns times with a zone',
    'bronze',
    offers((offer) => ({ ...offer, pickupDate: `${offer.pickupDate}Z` })),
    ['shape.searchVehicles', 'shape.locationDetails'],
  ],
  [
    'blocks the process while it waits',
    'bronze',
    alone(
      search(async (ask, context) => {
        underWay += 1;
        const timer = setTimeout(() => {
          const until = performance.now() + 200;
          // None of many concurrent calls blocks: that would also fail "parallel".
          while (underWay === 1 && performance.now() < until);
        }, 200);
        try {
          return await ask(context);
        } finally {
          underWay -= 1;
          clearTimeout(timer);
        }
      }),
    ),
    ['deadline.searchVehicles', 'dribble.searchVehicles'],
  ],
  [
    'leaves a socket open',
    'bronze',
    search((ask, context, url) => {
      opened.push(connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined));
      return ask(context);
    }),
    ['parallel.searchVehicles'],
  ],
  [
    'leaves a timer running',
    'bronze',
    search((ask, context) => {
      timers.push(setInterval(() => undefined, 60_000));
      return ask(context);
    }),
    ['parallel.searchVehicles'],
  ],
  [
    'books again after a lost answer',
    'gold',
    (whole) => ({
      ...whole,
      book: (request, context) =>
        present(whole.book?.(request, context)).catch((error: unknown) => {
          if (error instanceof SupplierError && error.fault === 'unavailable')
            return present(whole.book?.(request, context));
          throw error;
        }),
    }),
    ['lost_answer.book'],
  ],
  [
    'treats a 502 as a refusal',
    'gold',
    (whole) => ({
      ...whole,
      book: (request, context) =>
        present(
          whole.book?.(
            request,
            looking(context, (answer) => {
              if (answer.status === 502) throw new SupplierError('rejected', 'no');
              return answer;
            }),
          ),
        ),
    }),
    ['lost_answer.book'],
  ],
  [
    'quotes the supplier in the message of a failed booking',
    'gold',
    (whole) => ({
      ...whole,
      book: async (request, context) => {
        let said = '';
        const heard = looking(context, (answer) => {
          said = answer.body.toString('utf8');
          return answer;
        });
        return present(whole.book?.(request, heard)).catch((error: unknown) => {
          throw error instanceof SupplierError
            ? new SupplierError(error.fault, said, error.sent, { refusal: error.refusal })
            : error;
        });
      },
    }),
    ['private_messages.book'],
  ],
  [
    'puts the name into a URL',
    'gold',
    (whole) => ({
      ...whole,
      cancel: (key, context) => {
        const { send } = context.http;
        const named: SupplierContext = {
          ...context,
          http: {
            send: (call, repeatable) =>
              send({ ...call, path: `${call.path}?renter=${encodeURIComponent(key.lastName)}` }, repeatable),
          },
        };
        return present(whole.cancel?.(key, named));
      },
    }),
    ['private_urls.cancel'],
  ],
  [
    'treats an amount without minor units as cents',
    'gold',
    offers((offer) => {
      const { total } = offer.price;
      if (currencyDigits(total.currency) > 0) return offer;
      return { ...offer, price: { ...offer.price, total: { ...total, amountMinor: total.amountMinor * 100 } } };
    }),
    ['exact_money.book'],
  ],
  [
    'refuses to cancel a cancelled booking',
    'gold',
    (whole) => {
      const cancelled = new Set<string>();
      return {
        ...whole,
        cancel: async (key, context) => {
          if (cancelled.has(key.reference))
            throw new SupplierError('rejected', 'cancelled before', true, { refusal: 'not_changeable' });
          const done = await present(whole.cancel?.(key, context));
          cancelled.add(key.reference);
          return done;
        },
      };
    },
    ['cancel_twice.cancel'],
  ],
  [
    'finds nothing by our reference, but declares that it can',
    'gold',
    (whole) => ({
      ...whole,
      retrieve: (key, context) =>
        key.confirmationNumber === undefined ? Promise.resolve(NOTHING) : present(whole.retrieve?.(key, context)),
    }),
    ['lifecycle.book', 'lost_answer.book'],
  ],
  [
    'swaps pickup and dropoff',
    'bronze',
    (whole) => ({
      ...whole,
      searchVehicles: (request, context) =>
        present(whole.searchVehicles?.({ ...request, pickup: request.dropoff, dropoff: request.pickup }, context)),
    }),
    ['one_way.searchVehicles'],
  ],
  [
    'counts the tax twice',
    'bronze',
    offers((offer) => {
      const { items, total } = offer.price;
      const tax = items.filter(({ kind }) => kind === 'tax');
      const twice = -tax.reduce((sum, { amount }) => sum + amount.amountMinor, 0);
      return {
        ...offer,
        price: { ...offer.price, items: [...items, ...tax], unitemised: { ...total, amountMinor: twice } },
      };
    }),
    ['shape.searchVehicles'],
  ],
  [
    'keeps the connection of a call after its deadline',
    'bronze',
    search(async (ask, context, url) => {
      // Its own client, which the engine cannot end.
      const own = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
      opened.push(own);
      await once(own, 'connect');
      own.write('GET /own HTTP/1.1\r\nhost: supplier.example.com\r\n\r\n');
      return ask(context);
    }),
    ['deadline.searchVehicles'],
  ],
  [
    'prices the first car found, whichever was requested',
    'silver',
    (whole) => {
      let first: SupplierOffer['supplierRef'] | undefined;
      return {
        ...whole,
        searchVehicles: async (request, context) => {
          const answer = await present(whole.searchVehicles?.(request, context));
          first ??= answer.items[0]?.supplierRef;
          return answer;
        },
        priceCheck: (request, context) =>
          present(whole.priceCheck?.({ ...request, ref: first ?? request.ref }, context)),
      };
    },
    ['same_offer.priceCheck'],
  ],
  [
    'prices in the currency of another row',
    'silver',
    (whole) => ({
      ...whole,
      priceCheck: async (request, context) => {
        const { items, warnings } = await present(whole.priceCheck?.(request, context));
        return { items: items.map((offer) => inCurrency(offer, 'CAD')), warnings };
      },
    }),
    ['same_offer.priceCheck'],
  ],
  [
    'books half an hour later',
    'gold',
    bookings((request) => ({ ...request, pickupDate: request.pickupDate.replace('T10:00', 'T10:30') })),
    ['lifecycle.book', 'options.book', 'exact_money.book'],
  ],
  ['leaves out the extras of a booking', 'gold', bookings((request) => ({ ...request, extras: [] })), ['options.book']],
  [
    'changes everything except the remark',
    'gold',
    (whole) => ({
      ...whole,
      modify: ({ remark: _remark, ...request }, context) => present(whole.modify?.(request, context)),
    }),
    ['changes.modify'],
  ],
  [
    'changes again after a lost answer',
    'gold',
    (whole) => ({
      ...whole,
      modify: (request, context) =>
        present(whole.modify?.(request, context)).catch((error: unknown) => {
          if (error instanceof SupplierError && error.fault === 'unavailable')
            return present(whole.modify?.(request, context));
          throw error;
        }),
    }),
    ['lost_answer.modify'],
  ],
  [
    'confirms the cancellation of an unknown booking',
    'gold',
    (whole) => ({
      ...whole,
      cancel: (key, context) =>
        present(whole.cancel?.(key, context)).catch((error: unknown) => {
          if (error instanceof SupplierError && error.refusal === 'not_found') return {};
          throw error;
        }),
    }),
    ['unknown_booking.cancel'],
  ],
  [
    'does not know cancelled bookings',
    'gold',
    (whole) => ({
      ...whole,
      retrieve: async (key, context) => {
        const { items, warnings } = await present(whole.retrieve?.(key, context));
        return { items: items.filter(({ status }) => status !== 'cancelled'), warnings };
      },
    }),
    ['lifecycle.book'],
  ],
  [
    'assigns every car to its first brand',
    'bronze',
    offers((offer) => ({ ...offer, brand: 'Bravo' })),
    ['brands.searchVehicles'],
    'bravo',
  ],
];

/** Prices in another currency throughout, with unchanged amounts. */
function inCurrency(offer: SupplierOffer, currency: string): SupplierOffer {
  return JSON.parse(
    JSON.stringify(offer).replace(/"currency":"[A-Z]{3}"/g, `"currency":"${currency}"`),
  ) as SupplierOffer;
}

/**
 * Cases that wait or load the machine: the full run leaves them out; the mutants that target them are judged by them.
 */
const LONG = [
  'deadline',
  'dribble',
  'slow',
  'parallel',
  'large',
  'zip_bomb',
  'nesting',
  'lost_answer',
  'private_messages',
];

/** The mutant that the most cases detect: judged by all cases. */
const FULLY_JUDGED = 'books half an hour later';

/** Judges a mutant by these cases; returns the names of the checks that failed. */
async function failedChecks([, level, breaking, , supplier = 'alpine']: Mutant, cases: readonly string[]) {
  const config = suppliers.find(({ id }) => id === supplier);
  if (!config) throw new Error(`these tests break the adapter of ${supplier}, which is not configured`);
  const { checks } = await judge(config, { level, cases, adapterAt: (url) => breaking(createAdapter(config), url) });
  const failed = checks.filter(({ result }) => result === 'failed');
  console.log(failed.map(({ case: name, operation, reason }) => `${name}.${operation}: ${reason}`).join('\n'));
  return failed.map(({ case: name, operation }) => `${name}.${operation}`);
}

/** Ids of the cases with a check that a mutant should fail. */
function casesAbout([, , , failing]: Mutant): readonly string[] {
  return CASES.map(({ id }) => id).filter((id) => failing.some((check) => check.startsWith(`${id}.`)));
}

describe('the kit can fail: an adapter with one defect fails the checks for it, and no others', () => {
  test.each(BROKEN.map((mutant) => [mutant[0], mutant] as const))(
    'an adapter that %s',
    async (_what, mutant) => {
      expect(await failedChecks(mutant, casesAbout(mutant))).toEqual(mutant[3]);
    },
    120_000,
  );

  test('judged by all cases, one of them still doesn’t fail another check', async () => {
    const mutant = BROKEN.find(([what]) => what === FULLY_JUDGED);
    if (!mutant) throw new Error(`no mutant ${FULLY_JUDGED}`);
    const about = casesAbout(mutant);
    const cases = CASES.map(({ id }) => id).filter((id) => about.includes(id) || !LONG.includes(id));
    expect(await failedChecks(mutant, cases)).toEqual(mutant[3]);
  }, 120_000);
});

describe('prices that are wrong by a power of ten', () => {
  const verdict = async (config: (typeof suppliers)[number], factor: number) => {
    const scaled = offers((offer) => ({ ...offer, price: times(offer.price, factor) }));
    const { checks } = await judge(config, {
      level: 'silver',
      cases: ['plausible_price'],
      adapterAt: (url) => scaled(createAdapter(config), url),
    });
    return levelReached(checks);
  };

  test.each(suppliers.map((config) => [config.id, config] as const))(
    '%s reaches silver with its own prices, and never with prices × or ÷ 10, 100 or 1000',
    async (_id, config) => {
      expect(await verdict(config, 1)).toBe('silver');
      for (const factor of [0.1, 10]) expect(await verdict(config, factor)).not.toBe('silver');
      for (const factor of [0.001, 0.01, 100, 1_000]) expect(await verdict(config, factor)).toBeUndefined();
    },
    120_000,
  );
});

/** A price with every amount multiplied, rounded to minor units. */
function times(price: SupplierOffer['price'], factor: number): SupplierOffer['price'] {
  return JSON.parse(JSON.stringify(price), (name, value: unknown) =>
    name === 'amountMinor' ? Math.round(Number(value) * factor) : value,
  ) as SupplierOffer['price'];
}
