import type { RentalRequest } from '../model/bookings.js';
import type { Money } from '../model/money.js';
import type { ChargeKind, PriceItem, SupplierOffer } from '../model/offers.js';

/** What an offer may list without listing its charges: what the total consists of, and what was chosen. */
const NO_CHARGES: ReadonlySet<string> = new Set<ChargeKind>([
  ...(['rental', 'distance', 'tax', 'discount'] as const),
  ...(['equipment', 'coverage', 'additional_driver'] as const),
]);

/** Kinds of charges that don't depend on the chosen extras, coverages or drivers. */
const UNCHOSEN: ReadonlySet<string> = new Set<ChargeKind>(['airport', 'one_way', 'out_of_hours']);

/** How much more the charges may be that a supplier converts from another currency each time: one percent. */
const CONVERTED = 1.01;

/** The same since a rental was booked, which may be months ago: ten percent. */
const CONVERTED_SINCE = 1.1;

/** Chosen extras and coverages. */
type Choice = Pick<RentalRequest, 'extras' | 'coverages'>;

/** The choices and the total for which a term was shown, and the choices for which an offer is priced now. */
export interface ComparedChoices {
  /** The total that was shown. */
  readonly total: Money;
  /** Whether the amounts due now are for the same choices and total. */
  readonly isSamePrice: boolean;
  /** Whether the driver is as old as then. */
  readonly isSameAge: boolean;
  /** The charges in other currencies may have been left out then: that none was listed says nothing. */
  readonly lacksLocal?: boolean;
  /** They were booked, which may be months ago, and not only shown. */
  readonly isBooked?: boolean;
  /** At the current exchange rate; undefined if none is known. */
  readonly convert?: (amount: Money, currency: string) => Money | undefined;
  readonly before: Choice;
  readonly now: Choice;
}

/** The mandatory charges besides the total that were shown, as in the terms of an offer. */
export interface ShownCharges {
  /** The mandatory charges besides the total, in the smallest unit of its currency. Absent if no charges were listed. */
  readonly besides?: number;
  /** The mandatory charges in other currencies, which are never in the total: in the smallest unit, by currency. */
  readonly local?: Readonly<Record<string, number>>;
  /** For a booked rental: the mandatory charges besides the total that no choice causes, as `chargeName`. Absent in ids. */
  readonly unchosen?: readonly string[];
}

/** What is compared of a price item. */
interface Charge extends Pick<PriceItem, 'mandatory' | 'includedInTotal' | 'amount'> {
  readonly kind: string;
}

/**
 * The sum of the mandatory charges besides the total, in its currency; undefined if the items say nothing of charges. Many searches
 * list a line for the rental only, and the charges in the price check.
 */
export function besidesOf(items: readonly Charge[], { currency }: Money): number | undefined {
  const sum = sumsBesides(items)[currency];
  return sum === undefined && items.every(({ kind }) => NO_CHARGES.has(kind)) ? undefined : (sum ?? 0);
}

/** The mandatory charges in other currencies than the total's, by currency; undefined if there are none. */
export function localOf(items: readonly Charge[], { currency }: Money): Readonly<Record<string, number>> | undefined {
  const { [currency]: _own, ...local } = sumsBesides(items);
  return Object.keys(local).length === 0 ? undefined : local;
}

/** The mandatory charges besides the total, in the smallest unit, by currency. */
export function sumsBesides(items: readonly Charge[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const item of items) {
    const { amountMinor, currency } = item.amount;
    if (isBesides(item)) sums[currency] = (sums[currency] ?? 0) + amountMinor;
  }
  return sums;
}

function isBesides({ mandatory, includedInTotal }: Charge): boolean {
  return mandatory && !includedInTotal;
}

/** The mandatory charges besides the total that no choice of extras, coverages or drivers can cause: each kind in each currency. */
export function unchosenOf(items: readonly Charge[]): readonly string[] {
  return items.filter((item) => isUnchosen(item) && isBesides(item) && item.amount.amountMinor > 0).map(chargeName);
}

function isUnchosen({ kind }: Charge): boolean {
  return UNCHOSEN.has(kind);
}

function chargeName({ kind, amount: { currency } }: Charge): string {
  return `${kind} ${currency}`;
}

/**
 * The mandatory charges besides the total that are higher than was shown, in each currency, and than what was chosen since explains: they may
 * rise by its price, or by as much as the total, and in proportion to it. What no choice causes may only rise in proportion, and to a booked
 * rental no such charge may come, except for as much as is gone of the others. If nothing was added to that, only these new ones count: the others may rise with the
 * rate of a currency, and no price could be accepted for that.
 */
export function risenCharges(shown: ShownCharges, offer: SupplierOffer, choices: ComparedChoices): readonly Money[] {
  const { total, items } = offer.price;
  const added = addedChoice(choices);
  const isMore = added.extras.length + added.coverages.length > 0 || !choices.isSameAge;
  const growth = isMore ? growthOf(total, choices.total) : 0;
  const most = (before: number) =>
    before *
    (1 + (growth === 0 ? 0 : growth / choices.total.amountMinor)) *
    (choices.isBooked ? CONVERTED_SINCE : CONVERTED);
  const unchosen = sumsBesides(items.filter(isUnchosen));
  const known = new Set(shown.unchosen);
  const isNew = (item: Charge) => choices.isBooked && isUnchosen(item) && !known.has(chargeName(item));
  const arisen = sumsBesides(items.filter(isNew));
  const taxes = sumsBesides(items.filter(({ kind }) => kind === 'tax'));
  return Object.entries(sumsBesides(items)).flatMap(([currency, amountMinor]) => {
    // An offer that lists its charges has none in a currency that isn't named.
    const none = shown.besides === undefined || choices.lacksLocal ? undefined : 0;
    const before = currency === total.currency ? shown.besides : (shown.local?.[currency] ?? none);
    if (before === undefined) return [];
    const [caused = 0, fresh = 0] = [unchosen[currency], arisen[currency]];
    // The same charge may have been booked under another kind, which the supplier's file didn't know then: as such, it is gone.
    const gone = before - (amountMinor - fresh);
    if (fresh > 0 && fresh > most(gone)) return [{ amountMinor: Math.min(fresh, amountMinor - before), currency }];
    if (choices.isBooked && !isMore) return [];
    if (caused > most(before)) return [{ amountMinor: caused, currency }];
    // Drivers of some ages pay a fee.
    if (!choices.isSameAge) return [];
    const isOwn = currency === total.currency;
    const cost = costOf(added, choices.now, offer, currency);
    // The tax of what was added may be the first charge in its currency, although the price is in another one.
    const mayBeTaxed = isMore && !isOwn && before === 0;
    const mostTax = mayBeTaxed ? cost + convertedCost(added, offer, choices, currency) : 0;
    const tax = Math.min(taxes[currency] ?? 0, mostTax);
    const explained = Math.max(isOwn ? growth : 0, cost + tax);
    return amountMinor > most(before) + explained ? [{ amountMinor, currency }] : [];
  });
}

/** The price of what was added in the currency of the total, in the smallest unit of another one; 0 if no rate is known. */
function convertedCost(
  added: Choice,
  offer: SupplierOffer,
  { now, convert }: ComparedChoices,
  currency: string,
): number {
  const { currency: own } = offer.price.total;
  const amountMinor = Math.round(costOf(added, now, offer, own));
  if (!Number.isFinite(amountMinor)) return amountMinor;
  return convert?.({ amountMinor, currency: own }, currency)?.amountMinor ?? 0;
}

/** By how much a total is higher than the one before; 0 if they can't be compared. */
function growthOf(total: Money, before: Money): number {
  if (total.currency !== before.currency || before.amountMinor <= 0) return 0;
  return Math.max(0, total.amountMinor - before.amountMinor);
}

/** What is chosen now and wasn't before. */
export function addedChoice({ before, now }: Pick<ComparedChoices, 'before' | 'now'>): Choice {
  const added = now.extras.map(({ code, quantity }) => ({ code, quantity: quantity - quantityOf(before, code) }));
  return {
    extras: added.filter(({ quantity }) => quantity > 0),
    coverages: now.coverages.filter((code) => !before.coverages.includes(code)),
  };
}

function quantityOf({ extras }: Choice, code: string): number {
  return extras.find((extra) => extra.code === code)?.quantity ?? 0;
}

/** The price of what was added, in the smallest unit of a currency; infinite if that of a part isn't known. */
export function costOf({ extras, coverages }: Choice, now: Choice, offer: SupplierOffer, currency: string): number {
  const { price, rentalDays: days } = offer;
  const lineOf = (code: string): number => {
    const lines = price.items.filter(({ kind, code: its }) => its === code && CHOICES.has(kind));
    return sumsBesides(lines)[currency] ?? 0;
  };
  const costs = [
    ...extras.map(({ code, quantity }) => {
      const one = offer.extras.find((extra) => extra.code === code);
      const share = quantity / quantityOf(now, code);
      return Math.max(lineOf(code) * share, listedPrice(one, days, currency) * quantity);
    }),
    ...coverages.map((code) => {
      const one = offer.coverages.find((coverage) => coverage.code === code);
      return Math.max(lineOf(code), one?.included ? 0 : listedPrice(one, days, currency));
    }),
  ];
  return costs.reduce((sum, cost) => sum + cost, 0);
}

/** What an option costs for the rental, in the smallest unit of a currency: 0 if it is sold in another, infinite if it isn't known. */
function listedPrice(
  option: Pick<SupplierOffer['extras'][number], 'priceTotal' | 'pricePerDay'> | undefined,
  days: number,
  currency: string,
): number {
  const { priceTotal, pricePerDay } = option ?? {};
  const listed = priceTotal ?? pricePerDay;
  if (!listed) return Number.POSITIVE_INFINITY;
  if (listed.currency !== currency) return 0;
  return listed.amountMinor * (priceTotal ? 1 : days);
}

/** The kinds of items that are chosen options. */
const CHOICES: ReadonlySet<string> = new Set<ChargeKind>(['equipment', 'coverage', 'additional_driver']);
