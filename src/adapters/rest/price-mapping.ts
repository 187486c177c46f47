import { formatAmount, type Money, sumMoney, UnreadableAmountError } from '../../model/money.js';
import type { ChargeKind, PaymentType, Price, PriceItem } from '../../model/offers.js';
import type { OfferMapping } from './mapping.schema.js';
import type { AnswerReader } from './wire.js';

const NO_FEES: ReadonlySet<ChargeKind> = new Set<ChargeKind>(['rental', 'tax', 'equipment', 'coverage', 'discount']);

/**
 * The price of one offer; undefined unless the total is a positive amount. The supplier's total is authoritative; items
 * only explain it. If the supplier doesn't state the amount due now, it is the total of a prepaid rate and zero for any
 * other. Throws UnreadableAmountError if an amount can't be read.
 */
export function mapPrice(
  mapping: OfferMapping['price'],
  payment: PaymentType,
  currency: string,
  reader: AnswerReader,
  row: unknown,
): Price | undefined {
  const total = reader.money(mapping.total, row, currency);
  if (!total || total.amountMinor <= 0) return undefined;
  const base = reader.money(mapping.base, row, currency);
  const dueNow = dueNowOf(reader.dueMoney(mapping.dueNow, row, currency), payment, total);
  // Which items are paid now isn't stated, unless all are.
  const isPaidNow = dueNow.amountMinor === total.amountMinor;
  const items = itemsOf(mapping, total, base, isPaidNow, reader, row);
  const counted = items.filter(({ includedInTotal }) => includedInTotal);
  const unitemised = total.amountMinor - sumMoney(currency, counted.map(amountOf)).amountMinor;
  const sumOf = (wanted: (kind: ChargeKind) => boolean): Money | undefined => {
    const found = counted.filter(({ kind }) => wanted(kind));
    return found.length === 0 ? undefined : sumMoney(currency, found.map(amountOf));
  };
  return {
    total,
    base,
    taxes: sumOf((kind) => kind === 'tax'),
    fees: sumOf((kind) => !NO_FEES.has(kind)),
    oneWay: sumOf((kind) => kind === 'one_way'),
    extras: sumOf((kind) => kind === 'equipment'),
    coverages: sumOf((kind) => kind === 'coverage'),
    discount: sumOf((kind) => kind === 'discount'),
    dueNow,
    dueAtCounter: { amountMinor: total.amountMinor - dueNow.amountMinor, currency },
    items,
    display: displayOf(mapping.display, reader, row),
    unitemised: items.length > 0 && unitemised !== 0 ? { amountMinor: unitemised, currency } : undefined,
  };
}

/** The total in the requested currency, as the supplier converted it. */
function displayOf(mapping: OfferMapping['price']['display'], reader: AnswerReader, row: unknown): Money | undefined {
  const amount = mapping && reader.money(mapping.amount, row, reader.currency(mapping.currency, row));
  return amount && amount.amountMinor > 0 ? amount : undefined;
}

/**
 * What is stated, otherwise what the payment implies. Throws UnreadableAmountError if it is more than the total, or if only
 * it could say which part is due.
 */
function dueNowOf(stated: Money | undefined, payment: PaymentType, total: Money): Money {
  if (stated && stated.amountMinor > total.amountMinor)
    throw new UnreadableAmountError(formatAmount(stated), 'due now is more than the total');
  if (stated) return stated;
  if (payment === 'pay_partial') throw new UnreadableAmountError('', 'of dueNow is missing');
  return payment === 'pay_now' ? total : { amountMinor: 0, currency: total.currency };
}

/**
 * The base, then the manifest's lists in order; rows without an amount are left out. A charge is part of the total and
 * mandatory unless stated otherwise. Rows of which nothing says what they are may be sums of the others: they are left out, with
 * a warning, if the items would be more than the total.
 */
function itemsOf(
  mapping: OfferMapping['price'],
  total: Money,
  base: Money | undefined,
  isPaidNow: boolean,
  reader: AnswerReader,
  row: unknown,
): readonly PriceItem[] {
  const { currency } = total;
  const items: PriceItem[] = [];
  const nameless = new Set<PriceItem>();
  const add = (amount: Money | undefined, item: Omit<PriceItem, 'amount' | 'payable'>): void => {
    if (!amount || amount.amountMinor === 0) return;
    items.push({ ...item, amount, payable: isPaidNow && item.includedInTotal ? 'now' : 'counter' });
  };
  add(base, {
    kind: 'rental',
    description: 'Vehicle rental',
    unit: 'rental',
    quantity: 1,
    mandatory: true,
    includedInTotal: true,
  });
  for (const list of mapping.items) {
    const stated = reader.listIn(list.rows, list.amount, row);
    if (!Array.isArray(stated) && isAmount(stated))
      throw new UnreadableAmountError(String(stated), `of ${list.rows.text} is not a list`);
    for (const node of reader.listed(stated, list.rows)) {
      const own = reader.ownCurrency(list.currency, node, currency);
      const amount = reader.money(list.amount, node, own);
      if (!own && reader.flag(list.includedInTotal, node) === false && reader.flag(list.optional, node) !== true)
        refuseUnknown(reader.money(list.amount, node, currency), list.currency?.text);
      if (!amount || amount.amountMinor === 0) continue;
      const percent = reader.quantity(list.percent, node);
      const flag = (key: 'optional' | 'includedInTotal', unstated: boolean): boolean => {
        const value = reader.flag(list[key], node);
        if (value === undefined && reader.isStated(list[key], node))
          throw new UnreadableAmountError(formatAmount(amount), `has an unreadable "${key}"`);
        return value ?? unstated;
      };
      const includedInTotal = flag('includedInTotal', true);
      if (includedInTotal && amount.currency !== currency) {
        // The total is the supplier's, and how much of it this is isn't known.
        const text = `${list.amount.text} is in ${amount.currency}, but in a total in ${currency}: left out`;
        reader.warnings.add('amount_rejected', text);
        continue;
      }
      const kind = reader.word('charge', list.kind, node) ?? 'other';
      const code = reader.text(list.code, node);
      const title = reader.title(list.description, node);
      add(kind === 'discount' ? negative(amount) : amount, {
        kind,
        code,
        description: title ?? nameOf(kind, code),
        unit: percent === undefined ? 'rental' : 'percent',
        quantity: percent ?? (reader.count(list.quantity, node) || 1),
        mandatory: !flag('optional', false),
        includedInTotal,
      });
      // What is paid besides the total can't be a sum of what it contains.
      const isNameless = title === undefined && code === undefined && kind === 'other';
      if (isNameless && includedInTotal) nameless.add(items.at(-1) as PriceItem);
    }
  }
  const counted = sumMoney(currency, items.filter(({ includedInTotal }) => includedInTotal).map(amountOf));
  if (nameless.size === 0 || counted.amountMinor <= total.amountMinor) return items;
  reader.warnings.add(
    'incomplete',
    'price: rows without a name left out: with them, the items are more than the total',
  );
  return items.filter((item) => !nameless.has(item));
}

/** Throws UnreadableAmountError for an amount other than zero, which must be paid besides the total in a currency that can't be read. */
function refuseUnknown(amount: Money | undefined, currency = ''): void {
  if (amount && amount.amountMinor !== 0)
    throw new UnreadableAmountError('', `besides the total has an unreadable "${currency}"`);
}

/** Whether text or a number may be an amount. "None" isn't. */
function isAmount(value: unknown): boolean {
  return typeof value !== 'object' && /[1-9]/.test(String(value));
}

/** For a charge without a name: "One way", or its code if the kind says nothing. */
function nameOf(kind: ChargeKind, code: string | undefined): string {
  if (kind === 'other') return code ?? 'Other charge';
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1).replaceAll('_', ' ')}`;
}

/** Suppliers state discounts with either sign. */
function negative({ amountMinor, currency }: Money): Money {
  return { amountMinor: -Math.abs(amountMinor), currency };
}

function amountOf({ amount }: PriceItem): Money {
  return amount;
}
