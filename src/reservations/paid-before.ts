import { Conversion } from '../model/conversion.js';
import { type Money, parseMoney } from '../model/money.js';
import type { DisplayPrice, Price, PriceItem, SupplierOffer } from '../model/offers.js';
import type { Reservation, StoredPayment } from './reservation.js';

/** The payment of a new booking with what its card pays now, which later changes of the price don't change. */
export function paidNow(payment: StoredPayment, { dueNow }: Pick<Price, 'dueNow'>): StoredPayment {
  return payment.type === 'card' && dueNow.amountMinor > 0 ? { ...payment, paid: dueNow } : payment;
}

/** What the card paid, if that isn't what is shown as due now: a change left less due, and no answer says whether the supplier paid it back. */
export function paidOtherwise({ payment, view }: Pick<Reservation, 'payment' | 'view'>): Money | undefined {
  const due = parseMoney(view.price.due_now.amount, view.price.due_now.currency);
  const isDue = payment.paid?.amountMinor === due?.amountMinor && payment.paid?.currency === due?.currency;
  return isDue ? undefined : payment.paid;
}

/**
 * The offer of a change with the amount that is due now by the card at booking: cards are not stored, so a change pays nothing, and what
 * it adds is due at the counter. That is the amount of the last change, which may be less than what was paid (`paidOtherwise`): the
 * difference may have been paid back, and the counter must not ask for more than is shown. Unchanged for other payments, whose supplier charges or is given the new total, and in another
 * currency, which can't be compared.
 */
export function paidBefore(
  offer: SupplierOffer,
  { payment, view }: Pick<Reservation, 'payment' | 'view'>,
): SupplierOffer {
  const { price } = offer;
  const paid = parseMoney(view.price.due_now.amount, view.price.due_now.currency);
  if (payment.type !== 'card' || paid?.currency !== price.dueNow.currency) return offer;
  const unpaid = price.dueNow.amountMinor - paid.amountMinor;
  if (unpaid <= 0) return offer;
  const dueAtCounter = { ...price.dueAtCounter, amountMinor: price.dueAtCounter.amountMinor + unpaid };
  const changed = { ...price, dueNow: paid, dueAtCounter, items: itemsOf(price, unpaid, view) };
  const display = price.display && displayOf(changed, price.display);
  return { ...offer, price: { ...changed, ...(display && { display }) } };
}

/** Items that weren't booked are paid at the counter, if they are what the change adds. */
function itemsOf({ items }: Price, unpaid: number, { price }: Reservation['view']): Price['items'] {
  const isNew = ({ payable, includedInTotal, ...item }: PriceItem): boolean =>
    payable === 'now' &&
    includedInTotal &&
    !price.items.some((booked) => booked.kind === item.kind && booked.code === item.code && sameAmount(booked, item));
  const added = items.filter(isNew);
  const sum = added.reduce((total, { amount }) => total + amount.amountMinor, 0);
  return sum === unpaid ? items.map((item) => (added.includes(item) ? { ...item, payable: 'counter' } : item)) : items;
}

function sameAmount(
  booked: Reservation['view']['price']['items'][number],
  { amount }: { readonly amount: Money },
): boolean {
  return parseMoney(booked.amount.amount, booked.amount.currency)?.amountMinor === amount.amountMinor;
}

/** At its own rate; as it is, if the supplier converted the total itself. */
function displayOf({ total, dueNow, dueAtCounter }: Price, display: DisplayPrice): DisplayPrice {
  const { currency, rate } = display;
  const parts =
    rate === undefined
      ? undefined
      : new Conversion(total.currency, currency, rate).parts(total.amountMinor, [
          dueNow.amountMinor,
          dueAtCounter.amountMinor,
        ]);
  if (!parts) return display;
  const [nowMinor = 0, counterMinor = 0] = parts.partsMinor;
  return {
    ...display,
    dueNow: { amountMinor: nowMinor, currency },
    dueAtCounter: { amountMinor: counterMinor, currency },
  };
}
