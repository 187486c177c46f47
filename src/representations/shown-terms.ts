import { formatAmount, type Money, roundedMoney } from '../model/money.js';
import type { Coverage, Deposit, DistancePolicy, SupplierOffer } from '../model/offers.js';
import {
  besidesOf,
  type ComparedChoices,
  localOf,
  risenCharges,
  type ShownCharges,
  unchosenOf,
} from './charges-besides.js';
import { isOtherPayment, mostDueNow } from './payment-terms.js';
import { isNonrefundable, isOpenEnded, isRefundable } from './refund-terms.js';
import type { RentalView } from './rental-view.js';

/**
 * What an offer was shown with, besides its price and car: what an id must say, because a later answer of the supplier may say
 * otherwise or nothing. Absent = it wasn't shown so.
 */
export interface ShownTerms extends ShownCharges {
  /** The payment type of the rate. */
  readonly payment?: string;
  /** The supplier accepts the booking manually. */
  readonly onRequest?: true;
  /** Cancelling is free until this local time at the pickup, YYYYMMDDHHMM. */
  readonly freeUntil?: string;
  /** As isRefundable. Earlier gateways didn't write it. */
  readonly refundable?: true;
  readonly unlimited?: true;
  /** A distance that is included, per what, in which unit: as `distanceWord`. */
  readonly distance?: string;
  /** In the smallest unit of the total's currency; absent if all of the total was. Earlier gateways wrote it for `pay_partial` only. */
  readonly dueNow?: number;
  /** For a quote; in the smallest unit of its currency, which follows. */
  readonly deposit?: string;
  /** Codes of the included coverages, as `codeWord`. */
  readonly included?: readonly string[];
}

/** The parts of a rental's view that are terms. */
type BookedTerms = Pick<RentalView, 'cancellation' | 'distance_policy' | 'deposit' | 'coverages' | 'price'>;

/** What each of the terms is written as, before its value. */
const WORDS = {
  onRequest: 'r',
  unlimited: 'u',
  freeUntil: 'f',
  refundable: 'm',
  distance: 'd',
  dueNow: 'n',
  deposit: 'h',
  included: 'i',
  besides: 'b',
  local: 'c',
} as const;

/** Characters for the codes of included coverages in an id: more than suppliers need. */
const MOST_INCLUDED = 160;

/** The terms of an offer as words of its id, which should be short: only what may be worse later. */
export function termWords(
  { status, cancellation, distancePolicy, price, coverages }: SupplierOffer,
  deposit?: Deposit,
): readonly string[] {
  const included = includedWord(coverages);
  const besides = besidesOf(price.items, price.total);
  const local = localOf(price.items, price.total);
  const distance = distanceWord(distancePolicy);
  const { freeUntil } = cancellation;
  return [
    ...(status === 'on_request' ? [WORDS.onRequest] : []),
    ...(freeUntil === undefined ? [] : [WORDS.freeUntil + minuteOf(freeUntil)]),
    ...(isRefundable(cancellation, price.total) ? [WORDS.refundable] : []),
    ...(isUnlimited(distancePolicy) ? [WORDS.unlimited] : []),
    ...(distance === undefined ? [] : [WORDS.distance + distance]),
    ...(price.dueNow.amountMinor === price.total.amountMinor ? [] : [WORDS.dueNow + price.dueNow.amountMinor]),
    ...(deposit ? [WORDS.deposit + depositWord(deposit.amount)] : []),
    ...(included === '' ? [] : [WORDS.included + included]),
    ...(besides === undefined ? [] : [`${WORDS.besides}${besides}`]),
    ...(local ? [WORDS.local + Object.entries(local).map(([currency, minor]) => `${minor}${currency}`)] : []),
  ];
}

/** The terms of a rental that was booked, as far as a later price check of other choices can be compared with them. */
export function termsOfView(view: BookedTerms): ShownTerms {
  const { cancellation, distance_policy: policies, deposit, coverages, price } = view;
  const included = includedWord(coverages);
  const items = price.items.map(({ kind, amount, mandatory, included_in_total: includedInTotal }) => ({
    ...{ kind, mandatory, includedInTotal },
    amount: moneyOf(amount),
  }));
  const { total, due_now: dueNow } = price;
  const besides = besidesOf(items, moneyOf(total));
  const local = localOf(items, moneyOf(total));
  const unchosen = unchosenOf(items);
  const distance = distanceWord(policies);
  const { free_until: freeUntil, refundable } = cancellation;
  const rules = cancellation.rules.map(({ fee, percent }) => ({ fee: fee && moneyOf(fee), percent }));
  return {
    ...(freeUntil !== undefined && { freeUntil: minuteOf(freeUntil) }),
    ...(isRefundable({ refundable, freeUntil, rules }, moneyOf(total)) && { refundable: true }),
    ...(isUnlimited(policies) && { unlimited: true }),
    ...(distance !== undefined && { distance }),
    ...(dueNow.amount !== total.amount && { dueNow: moneyOf(dueNow).amountMinor }),
    ...(deposit && { deposit: depositWord(moneyOf(deposit.amount)) }),
    ...(included !== '' && { included: included.split(',') }),
    ...(besides !== undefined && { besides }),
    ...(local && { local }),
    ...(unchosen.length > 0 && { unchosen }),
  };
}

/** Reads what termWords wrote. Words of other gateways' versions mean nothing. */
export function termsOfWords(words: readonly string[]): ShownTerms {
  const textAfter = (prefix: string) => words.find((word) => word.startsWith(prefix))?.slice(prefix.length);
  const [freeUntil, distance, deposit] = [WORDS.freeUntil, WORDS.distance, WORDS.deposit].map(textAfter);
  const [dueNow, included, besides] = [WORDS.dueNow, WORDS.included, WORDS.besides].map(textAfter);
  const local = textAfter(WORDS.local)?.split(',');
  return {
    ...(words.includes(WORDS.onRequest) && { onRequest: true }),
    ...(freeUntil !== undefined && { freeUntil }),
    ...(words.includes(WORDS.refundable) && { refundable: true }),
    ...(words.includes(WORDS.unlimited) && { unlimited: true }),
    ...(distance !== undefined && { distance }),
    ...(dueNow !== undefined && { dueNow: Number(dueNow) }),
    ...(deposit !== undefined && { deposit }),
    ...(included !== undefined && { included: included.split(',') }),
    ...(besides !== undefined && { besides: Number(besides) }),
    ...(local && { local: Object.fromEntries(local.map((one) => [one.slice(-3), Number.parseInt(one, 10)])) }),
  };
}

/**
 * What became worse since an offer was shown with these terms, in words for the caller; empty = nothing. What the supplier no longer
 * states is not known to be worse.
 */
export function worseTerms(shown: ShownTerms, offer: SupplierOffer, choices: ComparedChoices): readonly string[] {
  const { rate, cancellation, distancePolicy, price, deposit } = offer;
  const worse: string[] = [];
  const isSameCurrency = price.total.currency === choices.total.currency;
  const isMoreDue = shown.dueNow === undefined || !isSameCurrency || price.dueNow.amountMinor > shown.dueNow;
  if (shown.payment !== undefined && isOtherPayment(shown.payment, rate.payment, isMoreDue))
    worse.push(`the payment is ${rate.payment} instead of ${shown.payment}`);
  if (shown.freeUntil !== undefined) {
    const { freeUntil, source } = cancellation;
    const isSooner = freeUntil !== undefined && minuteOf(freeUntil) < shown.freeUntil;
    if (isSooner) worse.push(`cancelling is free only until ${freeUntil}`);
    else if (freeUntil === undefined && source === 'structured' && !isOpenEnded(cancellation))
      worse.push('cancelling is no longer free');
  }
  if (shown.refundable && isNonrefundable(cancellation, price.total)) worse.push('the rate is no longer refundable');
  const distance = distanceWord(distancePolicy);
  const isLess = shown.distance !== undefined && distance !== undefined && isLessThan(distance, shown.distance);
  if (shown.unlimited && distancePolicy.length > 0 && !isUnlimited(distancePolicy))
    worse.push('the distance is no longer unlimited');
  else if (isLess) worse.push('less distance is included');
  if (shown.dueNow !== undefined && price.dueNow.amountMinor > mostDueNow(shown.dueNow, offer, choices))
    worse.push(`${textOf(price.dueNow)} is due now`);
  if (deposit && deposit.amount.amountMinor > mostDeposit(shown, deposit.amount.currency, price, choices.total))
    worse.push(`the deposit is ${textOf(deposit.amount)}`);
  for (const { code, type } of noLongerIncluded(shown.included ?? [], offer, choices))
    worse.push(`the coverage ${code} (${type}) is no longer included`);
  for (const risen of risenCharges(shown, offer, choices))
    worse.push(`${textOf(risen)} must be paid besides the total`);
  return worse;
}

/**
 * The highest deposit that isn't worse, in the smallest unit of its currency: many are a share of the estimated charges, or these and
 * a fixed amount, and so grow with them. Without a limit if none in this currency was shown.
 */
function mostDeposit(
  { deposit = '', besides }: ShownTerms,
  currency: string,
  { total, items }: SupplierOffer['price'],
  before: Money,
): number {
  if (!deposit.endsWith(currency)) return Number.POSITIVE_INFINITY;
  const amount = Number.parseInt(deposit, 10);
  if (before.currency !== total.currency) return Number.POSITIVE_INFINITY;
  const moreBesides = (besidesOf(items, total) ?? 0) - (besides ?? 0);
  const growth = Math.max(0, total.amountMinor - before.amountMinor) + Math.max(0, moreBesides);
  // Half a unit more, because the deposit that was shown may have been rounded down.
  const share = before.amountMinor > 0 ? (amount + 0.5) / before.amountMinor : 1;
  return amount + Math.ceil(growth * (currency === total.currency ? Math.max(1, share) : share));
}

/**
 * The coverages that were included and now cost something, unless the offer covers the like. Suppliers state in different
 * ways that a coverage is included, and in a search in others than here. Only a price proves that it must be bought now.
 */
function noLongerIncluded(
  shown: readonly string[],
  { coverages, price }: SupplierOffer,
  { before, now }: ComparedChoices,
): readonly Coverage[] {
  const chosen = new Set([...before.coverages, ...now.coverages].map(codeWord));
  const covered = coverages.filter(isCovered);
  return coverages.filter(
    (coverage) =>
      hasPrice(coverage) &&
      shown.includes(codeWord(coverage.code)) &&
      !chosen.has(codeWord(coverage.code)) &&
      !covered.some((one) => one.code === coverage.code || isReplaced(coverage.type, one.type)),
  );

  function isCovered({ code, included, mandatory }: Coverage): boolean {
    const line = price.items.find((item) => item.kind === 'coverage' && item.code === code);
    return included || now.coverages.includes(code) || (line ? line.includedInTotal : mandatory);
  }
}

function hasPrice({ priceTotal, pricePerDay }: Coverage): boolean {
  return [priceTotal, pricePerDay].some((price) => price !== undefined && price.amountMinor > 0);
}

/** Coverages that contain others of several types. */
const PACKAGES: readonly string[] = ['full_protection', 'protection_package'];

/** Whether a coverage of the type `by` is at least one of `type`. */
function isReplaced(type: string, by: string): boolean {
  if (type === 'other') return false;
  return type === by || by === `super_${type}` || PACKAGES.includes(by);
}

/** The codes of the included coverages as one word, separated by commas. */
function includedWord(coverages: readonly Pick<Coverage, 'code' | 'included'>[]): string {
  let word = '';
  for (const { code, included } of coverages) {
    const longer = word === '' ? codeWord(code) : `${word},${codeWord(code)}`;
    if (included && longer.length <= MOST_INCLUDED) word = longer;
  }
  return word;
}

/** A code without what separates codes and words. */
function codeWord(code: string): string {
  return code.replaceAll(/[\s,]/g, '');
}

/** An amount of a view. It was written from one that is valid. */
function moneyOf({ amount, currency }: { readonly amount: string; readonly currency: string }): Money {
  return roundedMoney(amount, currency) ?? { amountMinor: 0, currency };
}

function depositWord({ amountMinor, currency }: Money): string {
  return `${amountMinor}${currency}`;
}

function minuteOf(local: string): string {
  return local.replaceAll(/\D/g, '').slice(0, 12);
}

type Policies = readonly Pick<DistancePolicy, 'unlimited' | 'included' | 'per'>[];

function isUnlimited(policies: Policies): boolean {
  return policies.some(({ unlimited }) => unlimited);
}

/** The included distance, such as `100km/day`; undefined if there is none, or several that can't be compared. */
function distanceWord(policies: Policies): string | undefined {
  const [policy, ...others] = policies;
  if (!policy?.included || policy.unlimited || others.length > 0) return undefined;
  return `${policy.included.value}${policy.included.unit}/${policy.per ?? 'rental'}`;
}

function isLessThan(one: string, other: string): boolean {
  const unitOf = (word: string) => word.replace(/^[\d.]+/, '');
  return unitOf(one) === unitOf(other) && Number.parseFloat(one) < Number.parseFloat(other);
}

function textOf(amount: Money): string {
  return `${formatAmount(amount)} ${amount.currency}`;
}
