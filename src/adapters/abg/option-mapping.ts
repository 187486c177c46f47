import type { ChosenExtra } from '../../model/bookings.js';
import {
  divideMoney,
  isCurrency,
  type Money,
  optionalAmount,
  parseMoney,
  UnreadableAmountError,
} from '../../model/money.js';
import type { Coverage, Extra, Price, PriceItem } from '../../model/offers.js';
import type { Warnings } from '../../model/warnings.js';
import { coverageOf, extraType, mostOf } from './option-codes.js';
import { flag, group, list, numeric, scalar, text, type Wire, word } from './wire.js';

/** ABG lists the no-show fee among the extras; it can't be chosen. */
const NO_SHOW_FEE = 'NSF';

/**
 * extras[] of a priced rental, in the supplier's order, with prices per piece. `amount` is the daily price if
 * total_owed is present and differs; otherwise it is the price of the complete rental. Negative amounts are left out, and so is nothing owed
 * for an extra that isn't taken. Those `inRate` cost nothing more. Rows without a code are left out. Throws UnreadableAmountError for an amount that can't be read, or that is for an
 * unknown number of pieces.
 */
export function mapExtras(rows: unknown, rateCurrency: string, inRate: readonly string[] = []): readonly Extra[] {
  const extras: Extra[] = [];
  const isInRate = new Set(inRate);
  for (const row of list(rows).map(group)) {
    const code = text(row.code);
    if (code === undefined || code === NO_SHOW_FEE) continue;
    const most = numeric(row.max_allowed_quantity);
    const offered = {
      code,
      type: extraType(code),
      name: word(row.description) ?? code,
      maxQuantity: most !== undefined && most >= 1 ? Math.floor(most) : mostOf(code),
      mandatory: isInRate.has(code),
    };
    if (offered.mandatory) {
      extras.push({ ...offered, priceTotal: { amountMinor: 0, currency: rateCurrency } });
      continue;
    }
    const owed = amountOf(row, 'total_owed', rateCurrency);
    const amount = notNegative(amountOf(row, 'amount', rateCurrency));
    const quantity = owed ? statedQuantity(row) : 0;
    const isPriced = owed && owed.amountMinor >= 0 && (owed.amountMinor > 0 || quantity > 0 || !positive(amount));
    const priced = isPriced ? divideMoney(owed, Math.max(1, quantity)) : undefined;
    const total = owed ? priced : amount;
    const perDay = owed && amount?.amountMinor !== total?.amountMinor ? amount : undefined;
    extras.push({ ...offered, ...(perDay && { pricePerDay: perDay }), ...(total && { priceTotal: total }) });
  }
  return extras;
}

/**
 * Codes of the extras that come with the rate: their price is part of the total (included_in_rate), and they weren't chosen, or are `known` from
 * an answer to a request that didn't choose them. Of one that was chosen otherwise, the same is said.
 */
export function extrasInRate(
  rows: unknown,
  chosen: readonly ChosenExtra[],
  known: readonly string[],
): readonly string[] {
  const isKnown = new Set(known);
  const isChosen = new Set(chosen.map(({ code }) => code));
  return list(rows)
    .map(group)
    .filter((row) => flag(row.included_in_rate) === true && (numeric(row.quantity) ?? 1) > 0)
    .map(({ code }) => text(code) ?? NO_SHOW_FEE)
    .filter((code) => code !== NO_SHOW_FEE && (isKnown.has(code) || !isChosen.has(code)));
}

/** The no-show fee of extras[]: owed now, if stated, and otherwise its amount. One that can't be read is left out with a warning. */
export function mapNoShowFee(rows: unknown, rateCurrency: string, warnings: Warnings): Money | undefined {
  const row = list(rows)
    .map(group)
    .find(({ code }) => text(code) === NO_SHOW_FEE);
  if (!row) return undefined;
  const read = (member: string) => positive(amountOf(row, member, rateCurrency));
  return optionalAmount(() => read('total_owed') ?? read('amount'), warnings, 'the no-show fee');
}

/**
 * insurance[] of a priced rental, in the supplier's order; `amount` is the daily price. A coverage is included if it is
 * taken and owes nothing, whether because of the country (selection_note DEFAULT) or the rate, or is `inRate`. A price of 0 for a
 * coverage that isn't taken is ignored.
 */
export function mapCoverages(rows: unknown, rateCurrency: string, inRate: readonly string[] = []): readonly Coverage[] {
  const coverages: Coverage[] = [];
  const isInRate = new Set(inRate);
  for (const row of list(rows).map(group)) {
    const code = text(row.code);
    if (code === undefined) continue;
    const perDay = positive(amountOf(row, 'amount', rateCurrency));
    const total = positive(amountOf(row, 'total_owed', rateCurrency));
    const included = isInRate.has(code) || (flag(row.included_in_rate) ?? (isTaken(row) && !perDay && !total));
    const excess = amountOf(row, 'excess_amount', rateCurrency);
    const known = coverageOf(code);
    coverages.push({
      code,
      type: known.type,
      name: word(row.name) ?? known.name,
      included,
      mandatory: false,
      ...(!included && perDay && { pricePerDay: perDay }),
      ...(!included && total && { priceTotal: total }),
      ...(excess && { excess }),
    });
  }
  return coverages;
}

/**
 * Codes of the coverages that come with the rate at a price: they are taken, they weren't chosen, and `sum`, the part of the total for
 * coverages, is enough for them besides those that were; `known` as for extras.
 */
export function coveragesInRate(
  rows: unknown,
  sum: Money | undefined,
  days: number,
  chosen: readonly string[],
  known: readonly string[],
): readonly string[] {
  if (!sum) return [];
  const priced = list(rows)
    .map(group)
    .map((row) => ({ row, code: text(row.code) ?? '', owed: owedForDays(row, sum.currency, days) }));
  const isKnown = new Set(known);
  const isChosen = ({ code }: { code: string }) => chosen.includes(code) && !isKnown.has(code);
  let rest = sum.amountMinor;
  for (const { owed } of priced.filter(isChosen)) {
    // How much of the sum it takes isn't known.
    if (owed && owed.currency !== sum.currency) return [];
    rest -= owed?.amountMinor ?? 0;
  }
  const codes: string[] = [];
  for (const one of priced) {
    const { row, code, owed } = one;
    if (code === '' || !isTaken(row) || isChosen(one)) continue;
    if (owed?.currency !== sum.currency || owed.amountMinor > rest) continue;
    rest -= owed.amountMinor;
    codes.push(code);
  }
  return codes;
}

/** What a coverage costs for the rental. Undefined if nothing, or if it isn't stated. */
function owedForDays(row: Wire, currency: string, days: number): Money | undefined {
  const perDay = positive(amountOf(row, 'amount', currency));
  return (
    positive(amountOf(row, 'total_owed', currency)) ?? (perDay && { ...perDay, amountMinor: perDay.amountMinor * days })
  );
}

/** Booked extras: quantity 0 means offered, not taken. Undefined if the supplier sent no list. */
export function mapChosenExtras(rows: unknown): readonly ChosenExtra[] | undefined {
  if (!Array.isArray(rows)) return undefined;
  const chosen: ChosenExtra[] = [];
  for (const row of rows.map(group)) {
    const code = text(row.code);
    const quantity = quantityOf(row);
    if (code !== undefined && quantity > 0) chosen.push({ code, quantity });
  }
  // A list of what is offered, as in the contract's own answers to bookings, doesn't say what is booked.
  return chosen.length === 0 && rows.length > 0 ? undefined : chosen;
}

/** The price with the chosen extras and coverages, and those `inRate`, itemized instead of their sum, if they add up to it exactly. */
export function itemiseOptions(price: Price, reservation: Wire, inRate: readonly string[]): Price {
  const { currency } = price.total;
  const extras = list(reservation.extras)
    .map(group)
    .filter((row) => quantityOf(row) > 0);
  const coverages = list(reservation.insurance).map(group).filter(isTaken);
  return {
    ...price,
    items: price.items.flatMap((item) => {
      if (item.kind === 'equipment') return itemised(item, extras, 'description', currency, inRate);
      return item.kind === 'coverage' ? itemised(item, coverages, 'name', currency, inRate) : [item];
    }),
  };
}

function itemised(
  sum: PriceItem,
  rows: readonly Wire[],
  nameMember: string,
  currency: string,
  inRate: readonly string[],
): readonly PriceItem[] {
  const items: PriceItem[] = [];
  const isInRate = new Set(inRate);
  for (const row of rows) {
    const code = text(row.code);
    const amount = positive(amountOf(row, 'total_owed', currency));
    if (code === undefined || amount?.currency !== currency) continue;
    const name = word(row[nameMember]) ?? code;
    const count = quantityOf(row);
    const description = count > 1 ? `${name} × ${count}` : name;
    items.push({ ...sum, code, description, amount, mandatory: isInRate.has(code) });
  }
  const explained = items.reduce((minor, item) => minor + item.amount.amountMinor, 0);
  return explained === sum.amount.amountMinor ? items : [sum];
}

function quantityOf(row: Wire): number {
  return Math.max(0, Math.floor(numeric(row.quantity) ?? 0));
}

/** The pieces that an amount is for; 0 if none are stated. Throws UnreadableAmountError if they can't be read. */
function statedQuantity(row: Wire): number {
  const stated = word(row.quantity);
  const quantity = numeric(row.quantity) ?? (stated === undefined ? 0 : Number.NaN);
  if (Number.isInteger(quantity) && quantity >= 0) return quantity;
  throw new UnreadableAmountError(text(row.total_owed) ?? '', `is for ${JSON.stringify(stated?.slice(0, 40))} pieces`);
}

function isTaken(row: Wire): boolean {
  const note = text(row.selection_note)?.toUpperCase();
  return flag(row.selected) ?? (note === 'DEFAULT' || note === 'ACCEPTED');
}

/** In the row's own currency, otherwise the rate's. Throws UnreadableAmountError if it can't be read. */
function amountOf(row: Wire, member: string, rateCurrency: string): Money | undefined {
  const own = word(row.currency)?.toUpperCase();
  const amount = parseMoney(scalar(row[member]), own !== undefined && isCurrency(own) ? own : rateCurrency);
  if (!amount || own === undefined || own === amount.currency) return amount;
  throw new UnreadableAmountError(
    text(row[member]) ?? '',
    `is in an unknown currency ${JSON.stringify(own.slice(0, 40))}`,
  );
}

function notNegative(money: Money | undefined): Money | undefined {
  return money && money.amountMinor >= 0 ? money : undefined;
}

function positive(money: Money | undefined): Money | undefined {
  return money && money.amountMinor > 0 ? money : undefined;
}
