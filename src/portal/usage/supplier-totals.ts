import type { SupplierUsage } from '../../records/supplier-usage-reader.js';
import type { Booked } from '../../reservations/booked-reader.js';
import { percentile } from '../ops/percentile.js';

/** Calls to a supplier of one kind. */
export interface CallTotals {
  /** Without those whose client disconnected first. */
  readonly asked: number;
  readonly answered: number;
  readonly empty: number;
  /** Failed or refused. */
  readonly failed: number;
}

/** What a supplier did for the chosen applications in a period. */
export interface SupplierLine {
  readonly id: string;
  readonly searches: CallTotals & {
    /** Milliseconds, of calls that weren't answered from memory; undefined without any. */
    readonly medianMs: number | undefined;
    readonly slowMs: number | undefined;
    readonly offers: number;
    readonly cheapest: number;
  };
  readonly failedBefore: CallTotals;
  readonly checks: CallTotals & {
    readonly compared: number;
    readonly changed: number;
    /** Mean of all changes as a fraction of the price before; undefined without any. */
    readonly meanChange: number | undefined;
  };
  readonly bookings: BookedTotals;
  readonly confirmedBefore: number;
  /** Estimated bookings that it cost: refused ones, and failed searches and price checks at the rate at which others became bookings. */
  readonly lost: number;
}

/** Reservations, added up. */
export interface BookedTotals {
  readonly requested: number;
  readonly confirmed: number;
  readonly cancelled: number;
  readonly refused: number;
  /** In minor units by currency, highest first; without currencies that have none. */
  readonly value: readonly (readonly [currency: string, amountMinor: number])[];
}

/** How often calls to a supplier failed in one way. */
export interface CauseLine {
  readonly supplier: string;
  readonly operation: string;
  readonly cause: string;
  readonly calls: number;
}

/** Suppliers that were asked for cars or prices in the period, or have reservations from it, those that cost most bookings first. */
export function supplierLines(usage: readonly SupplierUsage[], booked: readonly Booked[]): readonly SupplierLine[] {
  const current = usage.filter(({ isCurrent }) => isCurrent);
  const bookedNow = booked.filter(({ isCurrent }) => isCurrent);
  const { confirmed } = bookedTotals(bookedNow);
  const rates = {
    search: rate(confirmed, callTotals(of(current, 'searchVehicles')).answered),
    check: rate(confirmed, callTotals(of(current, 'priceCheck')).answered),
  };
  const ids = new Set([...current, ...bookedNow].map(({ supplier }) => supplier));
  const lines = [...ids].map((id) => {
    const own = <T extends { readonly supplier: string }>(rows: readonly T[]) =>
      rows.filter((row) => row.supplier === id);
    const searched = of(own(current), 'searchVehicles');
    const checked = of(own(current), 'priceCheck');
    const [searches, checks] = [callTotals(searched), callTotals(checked)];
    const bookings = bookedTotals(own(bookedNow));
    const buckets = addedBuckets(searched);
    const [changed, points] = [sum(checked, 'changed'), sum(checked, 'changeBasisPoints')];
    return {
      id,
      searches: {
        ...searches,
        ...{ medianMs: percentile(buckets, 0.5), slowMs: percentile(buckets, 0.95) },
        ...{ offers: sum(searched, 'offers'), cheapest: sum(searched, 'cheapest') },
      },
      failedBefore: callTotals(of(own(usage.filter((row) => !row.isCurrent)), 'searchVehicles')),
      checks: {
        ...checks,
        ...{ compared: sum(checked, 'compared'), changed },
        meanChange: changed === 0 ? undefined : points / changed / 10_000,
      },
      bookings,
      confirmedBefore: bookedTotals(own(booked.filter((row) => !row.isCurrent))).confirmed,
      lost: bookings.refused + searches.failed * rates.search + checks.failed * rates.check,
    };
  });
  const isAsked = ({ searches, checks, bookings }: SupplierLine) =>
    searches.asked + checks.asked + bookings.requested > 0;
  const failedShare = ({ searches }: SupplierLine) => rate(searches.failed, searches.asked);
  return lines
    .filter(isAsked)
    .sort((one, two) => two.lost - one.lost || failedShare(two) - failedShare(one) || (one.id < two.id ? -1 : 1));
}

/** The ways in which calls failed or were refused in the period, most frequent first. */
export function causeLines(usage: readonly SupplierUsage[]): readonly CauseLine[] {
  return usage
    .filter(({ isCurrent, cause, calls }) => isCurrent && calls > 0 && !NO_FAILURE.has(cause))
    .map(({ supplier, operation, cause, calls }) => ({ supplier, operation, cause, calls }))
    .sort((one, two) => two.calls - one.calls);
}

/** Adds up reservations. */
export function bookedTotals(rows: readonly Booked[]): BookedTotals {
  const value = new Map<string, number>();
  for (const { currency, valueMinor } of rows)
    if (valueMinor !== 0) value.set(currency, (value.get(currency) ?? 0) + valueMinor);
  return {
    ...{ requested: sum(rows, 'requested'), confirmed: sum(rows, 'confirmed') },
    ...{ cancelled: sum(rows, 'cancelled'), refused: sum(rows, 'refused') },
    value: [...value].sort((one, two) => two[1] - one[1]),
  };
}

const NO_FAILURE = new Set(['answered', 'empty', 'client_left']);

function callTotals(rows: readonly SupplierUsage[]): CallTotals {
  const calls = (is: (cause: string) => boolean) =>
    sum(
      rows.filter(({ cause }) => is(cause)),
      'calls',
    );
  return {
    asked: calls((cause) => cause !== 'client_left'),
    answered: calls((cause) => cause === 'answered'),
    empty: calls((cause) => cause === 'empty'),
    failed: calls((cause) => !NO_FAILURE.has(cause)),
  };
}

function of(rows: readonly SupplierUsage[], operation: string): readonly SupplierUsage[] {
  return rows.filter((row) => row.operation === operation);
}

function addedBuckets(rows: readonly SupplierUsage[]): readonly number[] {
  const added: number[] = [];
  for (const { buckets } of rows)
    for (const [index, calls] of buckets.entries()) added[index] = (added[index] ?? 0) + calls;
  return added;
}

function sum<K extends string>(rows: readonly Readonly<Record<K, number>>[], name: K): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

function rate(part: number, total: number): number {
  return total === 0 ? 0 : part / total;
}
