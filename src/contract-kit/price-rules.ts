import { sumMoney } from '../model/money.js';
import type { SupplierOffer } from '../model/offers.js';
import { must } from './breach.js';

/** Throws a Breach unless the parts of the price add up to the total, each counted once, in one currency. */
export function judgePrice({ price, vehicle: { name } }: SupplierOffer): void {
  const { total, taxes, dueNow, dueAtCounter, items, unitemised } = price;
  const { currency } = total;
  const counted = items.filter(({ includedInTotal }) => includedInTotal);
  const amounts = counted.map(({ amount }) => amount);
  const foreign = [dueNow, dueAtCounter, taxes, unitemised, ...amounts].find(
    (amount) => amount && amount.currency !== currency,
  );
  must(foreign === undefined, `the price of ${name} mixes ${currency} and ${foreign?.currency}`);
  must(
    sumMoney(currency, [dueNow, dueAtCounter]).amountMinor === total.amountMinor,
    `the amounts due for ${name} do not add up to its total`,
  );
  const explained = sumMoney(currency, [...amounts, unitemised]).amountMinor;
  must(
    items.length === 0 || explained === total.amountMinor,
    `the items of ${name} add up to ${explained}; its total is ${total.amountMinor} (minor units)`,
  );
  must(unitemised?.amountMinor !== 0, `the unitemised part of ${name} is zero; leave it out`);
  must(
    (unitemised?.amountMinor ?? 0) >= 0,
    `the items of ${name} add up to more than its total: an item is counted twice`,
  );
  const taxed = counted.filter(({ kind }) => kind === 'tax').map(({ amount }) => amount);
  const sum = sumMoney(currency, taxed).amountMinor;
  must(
    taxes === undefined || taxed.length === 0 || taxes.amountMinor === sum,
    `the taxes of ${name} are ${taxes?.amountMinor}; its tax items add up to ${sum}`,
  );
}
