import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config, KEYS, type Keys } from '../config/config.module.js';
import { type AcceptedKeys, acceptedKeys } from '../config/keys.js';
import { enterScenario } from '../context/enter-scenario.js';
import type { RequestContext } from '../context/request-context.js';
import { PriceCheckService, type PriceRequest } from '../offers/price-check.service.js';
import { knownId, pricedOf } from '../offers/priced-key.js';
import { codeOf } from '../offers/resolve-place.js';
import { LocationFactsCache } from '../representations/location-view.js';
import type { WireView } from '../representations/wire-view.js';
import { type StatusContainer, statusContainer } from '../status/status-container.js';
import { SupplierRegistry } from '../suppliers/registry.js';
import { quoteView } from './quote-view.js';
import type { RatesBody } from './rates.schema.js';
import type { quoteWire } from './rates.wire.js';

/** The body of a quote response. */
interface RatesAnswer {
  readonly status: StatusContainer;
  readonly quote: WireView<typeof quoteWire>;
}

/** Issues quotes with the current price of an offer or quote. */
@Injectable()
export class RatesService {
  readonly #keys: AcceptedKeys;

  constructor(
    private readonly prices: PriceCheckService,
    private readonly registry: SupplierRegistry,
    private readonly facts: LocationFactsCache,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(KEYS) keys: Keys,
  ) {
    this.#keys = acceptedKeys(keys, 'offer_id');
  }

  /** Throws the same ApiErrors as the price check, and 404 for an unknown id. */
  async quote(body: RatesBody, context: RequestContext): Promise<RatesAnswer> {
    const named = pricedOf(body, this.#keys);
    const places = named ? [codeOf(named.search[0], this.#keys), codeOf(named.search[1], this.#keys)] : [];
    enterScenario(context, places, this.registry.simulated);
    const priced = knownId(named, body);
    const requested = {
      extras: body.extras?.map(({ extra_id, quantity }) => ({ code: extra_id, quantity })),
      coverages: body.coverages,
      age: body.age,
      dateOfBirth: body.date_of_birth,
      // A new quote has the rate of now, even if it is made from a quote.
      display: displayOf(body.currency ?? priced.display?.currency),
    };
    const checked = await this.prices.check(priced, requested, context, 'priceCheck');
    const terms = {
      facts: this.facts,
      key: this.#keys[0],
      now: context.startedAt,
      ttlSeconds: this.config.search.offerTtlSeconds,
      isSimulated: context.scenario !== undefined,
    };
    const status = statusContainer(context.startedAt, 200, []);
    return { status, quote: quoteView(priced, checked, terms) };
  }
}

function displayOf(currency: string | undefined): PriceRequest['display'] {
  return currency === undefined ? undefined : { currency };
}
