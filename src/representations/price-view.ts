import { formatAmount } from '../model/money.js';
import type { DisplayPrice, Price, PriceItem } from '../model/offers.js';
import { moneyView } from './money-view.js';
import type { rentalWire } from './offers.wire.js';
import type { WireView } from './wire-view.js';

type PriceView = WireView<typeof rentalWire>['price'];

/** The price of a rental in a response (docs/model.md#offer). Undefined members: not provided by the supplier. */
export function priceView(price: Price): PriceView {
  return {
    total: moneyView(price.total),
    base: moneyView(price.base),
    taxes: moneyView(price.taxes),
    fees: moneyView(price.fees),
    one_way: moneyView(price.oneWay),
    extras: moneyView(price.extras),
    coverages: moneyView(price.coverages),
    discount: moneyView(price.discount),
    due_now: moneyView(price.dueNow),
    due_at_counter: moneyView(price.dueAtCounter),
    items: price.items.map(itemView),
    unitemised: moneyView(price.unitemised),
    display: price.display && displayView(price.display),
  };
}

function displayView(display: DisplayPrice): PriceView['display'] {
  return {
    amount: formatAmount(display),
    currency: display.currency,
    due_now: moneyView(display.dueNow),
    due_at_counter: moneyView(display.dueAtCounter),
    rate: display.rate,
    as_of: display.asOf,
    source: display.source ?? 'supplier',
    stale: display.stale,
  };
}

function itemView(item: PriceItem): PriceView['items'][number] {
  return {
    kind: item.kind,
    code: item.code,
    description: item.description,
    amount: moneyView(item.amount),
    unit: item.unit,
    quantity: item.quantity,
    mandatory: item.mandatory,
    included_in_total: item.includedInTotal,
    payable: item.payable,
  };
}
