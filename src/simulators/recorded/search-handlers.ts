import { isCurrency, type Money, parseMoney } from '../../model/money.js';
import { moneyFormOf } from '../../model/money-form.js';
import type { Directive } from '../world.js';
import { recordingOf } from './answers.js';
import type { RequestValues } from './calls.js';
import { type Expression, evaluate, textOf } from './expression.js';
import { pathOf, withValues } from './inverse.js';
import { readLocal, writeLocal } from './local-time.js';
import type { Manifest } from './options.js';

const DAY_MS = 86_400_000;

/**
 * The recorded depots that contain the keyword: all without a keyword, none on later pages. Undefined if nothing is
 * recorded.
 */
export function depotsFor(manifest: Manifest, folder: string, values: RequestValues, { verb }: Directive): unknown {
  const { searchLocations: step } = manifest;
  const recorded = recordingOf(folder, 'searchLocations');
  if (!step || recorded === undefined) return undefined;
  const keyword = String(values.get('keyword') ?? '').toLowerCase();
  const isLater = values.has('cursor') || Number(values.get('page') ?? step.pages?.first) > (step.pages?.first ?? 1);
  return keepRows(
    recorded,
    step.rows,
    (row) => verb !== 'empty' && !isLater && JSON.stringify(row).toLowerCase().includes(keyword),
  );
}

/**
 * The recorded cars for any dates, with the requested dates and their number of days where the manifest reads them; none for a place that is neither the pickup of a recorded car nor a recorded depot. For a
 * price check, the cars that its values identify: its own recorded answer, or the row of the search with
 * the same `ref`. Undefined if nothing is recorded.
 */
export function carsFor(
  manifest: Manifest,
  folder: string,
  call: 'searchVehicles' | 'priceCheck',
  values: RequestValues,
  directive: Directive,
): unknown {
  const own = call === 'priceCheck' ? recordingOf(folder, 'priceCheck') : undefined;
  const stored = own ?? recordingOf(folder, 'searchVehicles');
  const { offer } = manifest;
  if (!offer || stored === undefined) return undefined;
  const recorded = withDays(manifest, stored, daysIn(manifest, values));
  if (
    directive.verb === 'empty' ||
    directive.verb === 'sold_out' ||
    (call === 'searchVehicles' && !isKnown(manifest, folder, recorded, values))
  ) {
    return onlyRows(recorded, offer.rows, []);
  }
  const isNamed = own === undefined && call === 'priceCheck' && namesCar(values);
  const found = isNamed
    ? onlyRows(recorded, offer.rows, matchingRows(manifest, recorded, values).slice(0, 1))
    : recorded;
  return played(manifest, dated(manifest, found, values), directive);
}

/**
 * The answer with the requested dates where `pickupDate` and `dropoffDate` of the mapping are plain paths. A date that
 * the request doesn't contain is left out, because the recorded one would be for another rental.
 */
function dated({ offer, times }: Manifest, body: unknown, values: RequestValues): unknown {
  const rows = offer && pathOf(offer.rows);
  if (!offer || !rows) return body;
  const dates = [
    ['pickupDate', offer.pickupDate, offer.zone],
    ['dropoffDate', offer.dropoffDate, offer.dropoffZone],
  ] as const;
  return dates.reduce((changed, [name, field, zone]) => {
    const path = field && pathOf(field);
    if (!path) return changed;
    const local = readLocal(values.get(name), times.write);
    const timeIn = (row: unknown): unknown =>
      local && writeLocal(local, times.read, textOf(zone, row, changed) ?? times.zone);
    const cars = valueAt(changed, offer.rows);
    if (field.startsWith('$answer')) return withValues(changed, [[path, timeIn(cars[0])]]);
    return withValues(changed, [[rows, cars.map((row) => withValues(row, [[path, timeIn(row)]]))]]);
  }, body);
}

/**
 * The days of the rental that a request is for (started 24-hour periods, at least 1); undefined if it doesn't contain both
 * dates.
 */
function daysIn({ times }: Manifest, values: RequestValues): number | undefined {
  const from = readLocal(values.get('pickupDate'), times.write);
  const to = readLocal(values.get('dropoffDate'), times.write);
  if (from === undefined || to === undefined) return undefined;
  return Math.max(1, Math.ceil((Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / DAY_MS));
}

/**
 * The answer for a rental of that many days; without a number of days if it is undefined, because the recorded one would
 * be for another rental. As recorded if `rentalDays` isn't a plain path.
 */
function withDays({ offer }: Manifest, recorded: unknown, days: number | undefined): unknown {
  const place = offer && pathOf(offer.rentalDays);
  const rows = offer && pathOf(offer.rows);
  if (!offer || !place || !rows) return recorded;
  const write = (node: unknown): unknown => {
    const isText = days !== undefined && typeof evaluate(offer.rentalDays, node, recorded) === 'string';
    return withValues(node, [[place, isText ? String(days) : days]]);
  };
  if (offer.rentalDays.startsWith('$answer')) return write(recorded);
  return withValues(recorded, [[rows, valueAt(recorded, offer.rows).map(write)]]);
}

/** The car with a request's `ref`, as it would be booked; undefined if it was not recorded or no car is named. */
export function recordedCar(
  manifest: Manifest,
  folder: string,
  values: RequestValues,
): { readonly total: Money; readonly sippCode: string | undefined } | undefined {
  const recorded = recordingOf(folder, 'priceCheck') ?? recordingOf(folder, 'searchVehicles');
  const { offer } = manifest;
  const [row] = recorded === undefined || !namesCar(values) ? [] : matchingRows(manifest, recorded, values);
  if (!offer || row === undefined) return undefined;
  const total = moneyIn(manifest, evaluate(offer.price.total, row, recorded), textOf(offer.currency, row, recorded));
  return total && { total, sippCode: textOf(offer.vehicle.sippCode, row, recorded) };
}

/** The answer with every total changed by a percentage (scenario price), or with every car on request. */
function played(manifest: Manifest, body: unknown, directive: Directive): unknown {
  const { offer } = manifest;
  const rows = offer && pathOf(offer.rows);
  if (!offer || !rows) return body;
  const total = pathOf(offer.price.total);
  const status = offer.status && pathOf(offer.status);
  const changed = valueAt(body, offer.rows).map((row) => {
    if (directive.verb === 'price' && total)
      return withValues(row, [[total, scaled(manifest, evaluate(offer.price.total, row), directive.percent)]]);
    return directive.verb === 'on_request' && status
      ? withValues(row, [[status, codeOf(manifest.tables.offerStatus, 'on_request')]])
      : row;
  });
  return withValues(body, [[rows, changed]]);
}

function keepRows(body: unknown, rows: Expression, keep: (row: unknown) => boolean): unknown {
  return onlyRows(body, rows, valueAt(body, rows).filter(keep));
}

/** The code of a table that means `word`; `word` itself without a table. A number if it looks like one. */
export function codeOf(table: Readonly<Record<string, string>> | undefined, word: string): string | number {
  const code = table ? Object.entries(table).find(([, ours]) => ours === word)?.[0] : word;
  if (code === undefined) throw new Error(`no code of the tables means ${word}`);
  return /^(0|[1-9]\d{0,8})$/.test(code) ? Number(code) : code;
}

/** Throws an Error if `rows` is not a plain path. */
function onlyRows(body: unknown, rows: Expression, kept: readonly unknown[]): unknown {
  const path = pathOf(rows);
  if (!path) throw new Error(`the rows "${rows}" cannot be inverted: use a plain path`);
  return withValues(body, [[path, kept]]);
}

/** Rows whose `ref` matches the request; all if the request does not contain it as plain values. */
function matchingRows({ offer }: Manifest, recorded: unknown, values: RequestValues): readonly unknown[] {
  if (!offer) return [];
  const named = Object.entries(offer.ref).filter(([name]) => values.has(`ref.${name}`));
  return valueAt(recorded, offer.rows).filter((row) =>
    named.every(([name, field]) => String(evaluate(field, row, recorded)) === String(values.get(`ref.${name}`))),
  );
}

function namesCar(values: RequestValues): boolean {
  return [...values.keys()].some((name) => name.startsWith('ref.'));
}

function isKnown(manifest: Manifest, folder: string, recorded: unknown, values: RequestValues): boolean {
  const asked = ['pickup.code', 'pickup.supplierCode', 'pickup.iataCode'].flatMap((name) => {
    const code = values.get(name);
    return code === undefined || code === '' ? [] : [String(code)];
  });
  const { offer, location, searchLocations } = manifest;
  if (asked.length === 0 || !offer || !location) return true;
  const pickups = valueAt(recorded, offer.rows).map((row) => evaluate(offer.pickup, row, recorded));
  const depots = searchLocations ? valueAt(recordingOf(folder, 'searchLocations'), searchLocations.rows) : [];
  const codes = [...pickups, ...depots].flatMap((node) => [
    textOf(location.code, node),
    textOf(location.iataCode, node),
  ]);
  return asked.some((code) => codes.includes(code));
}

function valueAt(body: unknown, rows: Expression): readonly unknown[] {
  const found = evaluate(rows, body);
  return Array.isArray(found) ? (found as unknown[]) : [];
}

function moneyIn({ money }: Manifest, amount: unknown, code: string | undefined): Money | undefined {
  const currency = code?.toUpperCase();
  if (currency === undefined || !isCurrency(currency)) return undefined;
  if (typeof amount !== 'string' && typeof amount !== 'number') return undefined;
  return parseMoney(amount, currency, moneyFormOf(money));
}

/**
 * The amount changed by a percentage. Text keeps its number of decimals, after the separator of the supplier; an integer
 * stays an integer.
 */
function scaled({ money }: Manifest, amount: unknown, percent: number): unknown {
  if (typeof amount === 'string') {
    const { decimal = '.' } = moneyFormOf(money) ?? {};
    const [whole = '', decimals = ''] = amount.split(decimal);
    const plain = `${whole.replace(/\D/g, '')}${decimals === '' ? '' : `.${decimals}`}`;
    const moved = (Number(plain) * (100 + percent)) / 100;
    return moved.toFixed(decimals.length).replace('.', decimal);
  }
  const moved = (Number(amount) * (100 + percent)) / 100;
  const decimals = String(amount).split('.')[1]?.length ?? 0;
  return Number(moved.toFixed(decimals));
}
