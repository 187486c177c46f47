import type { ChargeKind, Price, PriceItem } from '../../models.js';
import { type Money, parseMoney, sumMoney } from '../../money.js';
import type { PriceWire } from './wire.js';

/** The supplier's codes of charges; the rest is `other`. */
const KINDS: ReadonlyMap<string, ChargeKind> = new Map([
  ['TAX', 'tax'],
  ['ONE_WAY', 'one_way'],
  ['YOUNG_DRIVER', 'young_driver'],
  ['AIRPORT', 'airport'],
  ['LICENCE', 'fee'],
  ['FACILITY', 'fee'],
  ['TOLLS', 'fee'],
  ['WINTER', 'surcharge'],
]);

const OPTION_KINDS = { extra: 'equipment', protection: 'coverage' } as const satisfies Readonly<Record<string, ChargeKind>>;

const NO_FEES: ReadonlySet<ChargeKind> = new Set<ChargeKind>(['rental', 'tax', 'equipment', 'coverage']);

/**
 * The price of one vehicle; undefined without a total that is a positive amount. The total is the supplier's word, charges and options only
 * explain it. Prepaid or at the desk, it is paid whole; what is not in the total is always paid at the desk.
 */
export function mapPrice(wire: PriceWire, prepaid: boolean, currency: string): Price | undefined {
  const total = parseMoney(wire.total, currency);
  if (!total || total.amountMinor <= 0) return undefined;
  const items = itemsOf(wire, prepaid, currency);
  const counted = items.filter(({ includedInTotal }) => includedInTotal);
  const unitemised = total.amountMinor - sumMoney(currency, counted.map(amountOf)).amountMinor;
  const sumOf = (wanted: (kind: ChargeKind) => boolean): Money | undefined => {
    const found = counted.filter(({ kind }) => wanted(kind));
    return found.length === 0 ? undefined : sumMoney(currency, found.map(amountOf));
  };
  const none: Money = { amountMinor: 0, currency };
  return {
    total,
    base: parseMoney(wire.base, currency),
    taxes: sumOf((kind) => kind === 'tax'),
    fees: sumOf((kind) => !NO_FEES.has(kind)),
    oneWay: sumOf((kind) => kind === 'one_way'),
    extras: sumOf((kind) => kind === 'equipment'),
    coverages: sumOf((kind) => kind === 'coverage'),
    dueNow: prepaid ? total : none,
    dueAtCounter: prepaid ? none : total,
    items,
    unitemised: items.length > 0 && unitemised !== 0 ? { amountMinor: unitemised, currency } : undefined,
  };
}

/** Base, charges, options, in the supplier's order; those without an amount are left out. */
function itemsOf(wire: PriceWire, prepaid: boolean, currency: string): readonly PriceItem[] {
  const items: PriceItem[] = [];
  const add = (kind: ChargeKind, description: string, amount: Money | undefined, more: Partial<PriceItem> = {}): void => {
    if (!amount || amount.amountMinor === 0) return;
    const includedInTotal = more.includedInTotal ?? true;
    const payable = prepaid && includedInTotal ? 'now' : 'counter';
    items.push({ kind, description, amount, unit: 'rental', quantity: 1, mandatory: true, payable, ...more, includedInTotal });
  };
  add('rental', 'Vehicle rental', parseMoney(wire.base, currency));
  for (const { code, name, amount, inTotal, percent } of wire.charges) {
    add(KINDS.get(code) ?? 'other', name, parseMoney(amount, currency), {
      code,
      includedInTotal: inTotal,
      ...(percent !== undefined && { unit: 'percent', quantity: percent }),
    });
  }
  for (const { type, code, name, quantity, amount } of wire.options) {
    add(OPTION_KINDS[type], name, parseMoney(amount, currency), { code, quantity, mandatory: false });
  }
  return items;
}

function amountOf({ amount }: PriceItem): Money {
  return amount;
}
