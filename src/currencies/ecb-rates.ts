import { SaxesParser } from 'saxes';
import { isRate } from '../model/conversion.js';
import { isCurrency } from '../model/money.js';
import type { Rates } from './rate-table.js';

const MOST_CHARACTERS = 65_536;
const MOST_SOURCE_CHARACTERS = 80;
const FEWEST_CURRENCIES = 5;
/** Where the next day has begun, its rates may exist already. */
const AHEAD_MS = 86_400_000;

/** A document isn't a table of exchange rates, or one that can't be right. The message says why, without its text. */
export class UnreadableRatesError extends Error {
  constructor(reason: string) {
    super(`the exchange rates ${reason}`);
    this.name = 'UnreadableRatesError';
  }
}

/**
 * Reads a document in the format of the ECB's daily reference rates: one `Cube` with the day in `time`, in it one `Cube`
 * per currency with `currency` and `rate` (units for one euro), and the publisher in the `name` of `Sender`. `now` is in
 * epoch milliseconds. Throws UnreadableRatesError for anything else: not well-formed, a DOCTYPE, several days, a day in
 * the future, an unknown or repeated currency, a rate that isn't a positive decimal, fewer than five currencies.
 */
export function readEcbRates(text: string, now: number): Rates {
  if (text.length > MOST_CHARACTERS) throw new UnreadableRatesError(`have more than ${MOST_CHARACTERS} characters`);
  const days: string[] = [];
  const perEuro = new Map<string, string>();
  const path: string[] = [];
  let source = '';
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw new UnreadableRatesError('are not well-formed XML');
  });
  parser.on('doctype', () => {
    throw new UnreadableRatesError('have a DOCTYPE');
  });
  parser.on('opentag', ({ name, attributes }) => {
    path.push(name.replace(/^.*:/, ''));
    if (path.at(-1) !== 'Cube') return;
    const { time, currency, rate } = attributes;
    if (time !== undefined) days.push(time);
    if (currency !== undefined) addRate(perEuro, currency, rate ?? '');
  });
  parser.on('text', (part) => {
    if (path.at(-2) === 'Sender' && path.at(-1) === 'name') source += part;
  });
  parser.on('closetag', () => path.pop());
  parser.write(text).close();
  if (perEuro.size < FEWEST_CURRENCIES)
    throw new UnreadableRatesError(`have fewer than ${FEWEST_CURRENCIES} currencies`);
  return { asOf: theDay(days, now), source: publisher(source), perEuro };
}

function addRate(perEuro: Map<string, string>, currency: string, rate: string): void {
  if (!isCurrency(currency)) throw new UnreadableRatesError('have a currency that ISO 4217 does not list');
  if (perEuro.has(currency) || currency === 'EUR') throw new UnreadableRatesError(`have ${currency} twice`);
  if (!isRate(rate)) throw new UnreadableRatesError(`have a rate of ${currency} that is not a positive decimal`);
  perEuro.set(currency, rate);
}

function theDay(days: readonly string[], now: number): string {
  const [day = '', ...more] = days;
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== day || more.length > 0)
    throw new UnreadableRatesError('are not those of exactly one day');
  if (at > now + AHEAD_MS) throw new UnreadableRatesError(`are dated ${day}, which is in the future`);
  return day;
}

/** The name without control characters, as it is shown to callers. */
function publisher(text: string): string {
  const name = text.replace(/[\p{C}\s]+/gu, ' ').trim();
  if (name === '' || name.length > MOST_SOURCE_CHARACTERS)
    throw new UnreadableRatesError('do not name their publisher in gesmes:Sender');
  return name;
}
