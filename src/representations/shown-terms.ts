import { formatAmount, type Money, roundedMoney } from '../model/money.js';
import type { Deposit, DistancePolicy, ListedOffer, SupplierOffer } from '../model/offers.js';
import type { RentalView } from './rental-view.js';

/**
 * What an offer was shown with, besides its price and car: what an id must say, because a later answer of the supplier may say
 * otherwise or nothing. Absent = it wasn't shown so.
 */
export interface ShownTerms {
  /** The supplier accepts the booking manually. */
  readonly onRequest?: true;
  /** Cancelling is free until this local time at the pickup, YYYYMMDDHHMM. */
  readonly freeUntil?: string;
  readonly unlimited?: true;
  /** A distance that is included, per what, in which unit: as `distanceWord`. */
  readonly distance?: string;
  /** In the smallest unit of the total's currency; only of a price that is paid in parts. */
  readonly dueNow?: number;
  /** Of a quote; in the smallest unit of its currency, which follows. */
  readonly deposit?: string;
}

/** The parts of a rental's view that are terms. */
type BookedTerms = Pick<RentalView, 'cancellation' | 'distance_policy' | 'deposit'>;

/** What each of the terms is written as, before its value. */
const WORDS = { onRequest: 'r', unlimited: 'u', freeUntil: 'f', distance: 'd', dueNow: 'n', deposit: 'h' } as const;

/** The terms of an offer as words of its id, which should be short: only what may be worse later. */
export function termWords(
  { status, cancellation, distancePolicy, rate, price }: ListedOffer,
  deposit?: Deposit,
): readonly string[] {
  const distance = distanceWord(distancePolicy);
  const { freeUntil } = cancellation;
  return [
    ...(status === 'on_request' ? [WORDS.onRequest] : []),
    ...(freeUntil === undefined ? [] : [WORDS.freeUntil + minuteOf(freeUntil)]),
    ...(isUnlimited(distancePolicy) ? [WORDS.unlimited] : []),
    ...(distance === undefined ? [] : [WORDS.distance + distance]),
    ...(rate.payment === 'pay_partial' ? [WORDS.dueNow + price.dueNow.amountMinor] : []),
    ...(deposit ? [WORDS.deposit + depositWord(deposit.amount)] : []),
  ];
}

/** The terms of a rental that was booked, as far as a later price check of other choices can be compared with them. */
export function termsOfView({ cancellation, distance_policy: policies, deposit }: BookedTerms): ShownTerms {
  const distance = distanceWord(policies);
  const { free_until: freeUntil } = cancellation;
  const secured = deposit && roundedMoney(deposit.amount.amount, deposit.amount.currency);
  return {
    ...(freeUntil !== undefined && { freeUntil: minuteOf(freeUntil) }),
    ...(isUnlimited(policies) && { unlimited: true }),
    ...(distance !== undefined && { distance }),
    ...(secured && { deposit: depositWord(secured) }),
  };
}

/** Reads what termWords wrote. Words of other gateways' versions mean nothing. */
export function termsOfWords(words: readonly string[]): ShownTerms {
  const textAfter = (prefix: string) => words.find((word) => word.startsWith(prefix))?.slice(prefix.length);
  const [freeUntil, distance, deposit] = [WORDS.freeUntil, WORDS.distance, WORDS.deposit].map(textAfter);
  const dueNow = textAfter(WORDS.dueNow);
  return {
    ...(words.includes(WORDS.onRequest) && { onRequest: true }),
    ...(freeUntil !== undefined && { freeUntil }),
    ...(words.includes(WORDS.unlimited) && { unlimited: true }),
    ...(distance !== undefined && { distance }),
    ...(dueNow !== undefined && { dueNow: Number(dueNow) }),
    ...(deposit !== undefined && { deposit }),
  };
}

/**
 * What became worse since an offer was shown with these terms, in words for the caller; empty = nothing. What the supplier no longer
 * states is not known to be worse. `isSamePrice`: the amounts due now are for the same choices and total.
 */
export function worseTerms(shown: ShownTerms, offer: SupplierOffer, isSamePrice: boolean): readonly string[] {
  const { cancellation, distancePolicy, price, deposit } = offer;
  const worse: string[] = [];
  if (shown.freeUntil !== undefined) {
    const { freeUntil, source } = cancellation;
    if (freeUntil === undefined ? source === 'structured' : minuteOf(freeUntil) < shown.freeUntil)
      worse.push(
        freeUntil === undefined ? 'cancelling is no longer free' : `cancelling is free only until ${freeUntil}`,
      );
  }
  const distance = distanceWord(distancePolicy);
  const isLess = shown.distance !== undefined && distance !== undefined && isLessThan(distance, shown.distance);
  if (shown.unlimited && distancePolicy.length > 0 && !isUnlimited(distancePolicy))
    worse.push('the distance is no longer unlimited');
  else if (isLess) worse.push('less distance is included');
  if (shown.dueNow !== undefined && isSamePrice && price.dueNow.amountMinor > shown.dueNow)
    worse.push(`${textOf(price.dueNow)} is due now`);
  const isComparable = deposit !== undefined && shown.deposit?.endsWith(deposit.amount.currency) === true;
  if (isComparable && deposit.amount.amountMinor > Number.parseInt(shown.deposit ?? '', 10))
    worse.push(`the deposit is ${textOf(deposit.amount)}`);
  return worse;
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
