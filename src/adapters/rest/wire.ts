import type { LocalDateTime } from '../../model/locations.js';
import {
  formatAmount,
  isCurrency,
  type Money,
  type MoneyForm,
  optionalAmount,
  parseMoney,
  UnreadableAmountError,
} from '../../model/money.js';
import { moneyFormOf } from '../../model/money-form.js';
import type { SupplierOffer } from '../../model/offers.js';
import { trimmedCopy } from '../../model/own-copy.js';
import { Warnings } from '../../model/warnings.js';
import { flagOf } from '../words/flag-words.js';
import { Evaluation, type Expression } from './expression.js';
import { countedZone, readDeadline, readInstant, readLocal } from './local-time.js';
import type { Manifest } from './options.js';
import { isWord, type WordKind, type WordOf } from './tables.js';
import { isPresent, isReturnable, numberOf, quantityOf, quoted, shortened, textOf, textsOf } from './values.js';

const MAX_TEXT = 1_000;
/** The engine refuses longer ones. */
const MAX_PROSE = 200_000;
/** All but tabs and line breaks. */
const CONTROL_CHARACTERS = /[^\P{Cc}\t\n\r]/gu;

/** An expression of the manifest; undefined if the manifest doesn't map the value. */
type Field = Expression | undefined;
/** The manifest settings that reading depends on, besides the mapping. */
export type ReadingTerms = Pick<Manifest, 'money' | 'times' | 'tables'>;

/**
 * Reads the values of one answer as our types. Every method but `money` returns undefined if the value is absent or has the wrong
 * type; types are never guessed or converted.
 */
export class AnswerReader {
  readonly #evaluation: Evaluation;
  readonly #otherZones = new Set<string>();
  /** Values that were left out of rows. */
  readonly warnings = new Warnings();
  readonly #form: MoneyForm | undefined;
  readonly #shared = new Map<object, { readonly key: string; readonly value: unknown }>();

  /**
   * `answer` is the parsed JSON or XML, `$answer` in expressions; `request` is what expressions may read of the request,
   * `$request`.
   */
  constructor(
    private readonly terms: ReadingTerms,
    readonly answer: unknown,
    request: object,
  ) {
    this.#evaluation = new Evaluation({ answer, request });
    this.#form = moneyFormOf(terms.money);
  }

  holds(field: Expression, node: unknown): boolean {
    return this.#evaluation.holds(field, node);
  }

  node(field: Field, node: unknown): unknown {
    return field && this.#evaluation.value(field, node);
  }

  rows(field: Expression, node: unknown): readonly unknown[] | undefined {
    return this.#evaluation.list(this.node(field, node));
  }

  /** What is stated for a list inside a row (Evaluation.listIn), each row of which has the value `mark`. */
  listIn(field: Expression, mark: Expression, node: unknown): unknown {
    return this.#evaluation.listIn(field, mark, node);
  }

  /** The rows of a value from `listIn`. None, with a warning, if it is something else. */
  listed(value: unknown, { text }: Expression): readonly unknown[] {
    const rows = this.#evaluation.list(value);
    if (!rows && value !== false && isPresent(value))
      this.warnings.add('incomplete', `${text} is ${quoted(value)}, not a list`);
    return rows ?? [];
  }

  /**
   * The result of `read` for the rows of a list inside a row. A list that several rows refer to is read once, and they share
   * the result. `key` names everything else the result depends on.
   */
  sharedRows<T>(
    { rows: field, mark }: { readonly rows: Expression; readonly mark: Expression },
    node: unknown,
    key: string,
    read: (rows: readonly unknown[]) => readonly T[],
  ): readonly T[] {
    const source = this.listIn(field, mark, node);
    return this.shared(source, key, () => read(this.listed(source, field)));
  }

  /**
   * Trimmed text, or a whole number as written; never empty, longer than 1,000 characters, or a number that JSON can't
   * represent exactly.
   */
  text(field: Field, node: unknown): string | undefined {
    return textOf(this.node(field, node), MAX_TEXT);
  }

  /** Like `text`, for what only people read: shortened if it is longer. */
  title(field: Field, node: unknown): string | undefined {
    const value = this.node(field, node);
    if (typeof value !== 'string' || value.length <= MAX_TEXT) return textOf(value, MAX_TEXT);
    return shortened(trimmedCopy(value), MAX_TEXT) || undefined;
  }

  texts(field: Field, node: unknown): readonly string[] {
    return textsOf(this.node(field, node), MAX_TEXT);
  }

  /** Trimmed text, for what only people read: the engine cuts it further. Text from a PDF has form feeds, which it refuses. */
  prose(field: Field, node: unknown): string | undefined {
    const value = this.node(field, node);
    if (typeof value !== 'string') return undefined;
    return trimmedCopy(value.slice(0, MAX_PROSE).toWellFormed().replace(CONTROL_CHARACTERS, ' ')) || undefined;
  }

  matching(field: Field, node: unknown, form: RegExp): string | undefined {
    const text = this.text(field, node);
    return text !== undefined && form.test(text) ? text : undefined;
  }

  /** A whole number from 0; its text is read like that of a quantity. */
  count(field: Field, node: unknown): number | undefined {
    const value = this.quantity(field, node);
    return Number.isSafeInteger(value) ? value : undefined;
  }

  /** A number from 0, as a distance. Its text is in the notation of the amounts: "1.000" may be a thousand. */
  quantity(field: Field, node: unknown): number | undefined {
    const value = this.node(field, node);
    const number = typeof value === 'string' ? quantityOf(value.trim(), this.#form) : value;
    return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
  }

  /** Any finite number, or its plain decimal text, whatever the notation of the amounts: for coordinates. */
  number(field: Field, node: unknown): number | undefined {
    return numberOf(this.node(field, node));
  }

  /** Whether the answer has a value, readable or not. Blank text doesn't count. */
  isStated(field: Field, node: unknown): boolean {
    return isPresent(this.node(field, node));
  }

  /** true and false, 1 and 0, and the words that suppliers use for them; undefined, with a warning, for anything else. */
  flag(field: Field, node: unknown): boolean | undefined {
    const value = this.node(field, node);
    if (typeof value === 'boolean') return value;
    const flag = typeof value === 'string' || typeof value === 'number' ? flagOf(String(value)) : undefined;
    if (flag === undefined && isPresent(value))
      this.warnings.add('incomplete', `${field?.text} is ${quoted(value)}, neither true nor false`);
    return flag;
  }

  /**
   * An amount as the manifest says that they are written; undefined if the answer has none, or (with a warning) no
   * currency. Throws UnreadableAmountError for a value that isn't one.
   */
  money(field: Field, node: unknown, currency: string | undefined): Money | undefined {
    const value = this.node(field, node);
    if (value === null || value === undefined) return undefined;
    if (currency === undefined) {
      this.warnings.add('amount_rejected', `${field?.text} has no readable currency: left out`);
      return undefined;
    }
    if (typeof value === 'string' || typeof value === 'number') return parseMoney(value, currency, this.#form);
    throw new UnreadableAmountError('', `of ${field?.text} is neither text nor a number`);
  }

  /** Like `money`; also throws UnreadableAmountError for a negative amount. */
  payableMoney(field: Field, node: unknown, currency: string | undefined): Money | undefined {
    const amount = this.money(field, node, currency);
    if (amount && amount.amountMinor < 0)
      throw new UnreadableAmountError(formatAmount(amount), `of ${field?.text} is negative`);
    return amount;
  }

  /**
   * Like `payableMoney`, for an amount whose absence means another amount: also throws UnreadableAmountError for text without
   * a number.
   */
  dueMoney(field: Field, node: unknown, currency: string | undefined): Money | undefined {
    const amount = this.payableMoney(field, node, currency);
    const text = amount || currency === undefined ? undefined : this.node(field, node);
    if (typeof text === 'string' && text.trim() !== '')
      throw new UnreadableAmountError(text, `of ${field?.text} is not a number`);
    return amount;
  }

  /** An amount on which no total depends, as of an extra or coverage. If it can't be read, it is left out with a warning. */
  optionalMoney(field: Field, node: unknown, currency: string | undefined): Money | undefined {
    return optionalAmount(() => this.money(field, node, currency), this.warnings, field?.text ?? '');
  }

  /** Like `optionalMoney`, for what is never negative, as the fee of a completed cancellation. */
  optionalPayable(field: Field, node: unknown, currency: string | undefined): Money | undefined {
    return optionalAmount(() => this.payableMoney(field, node, currency), this.warnings, field?.text ?? '');
  }

  /** An ISO 4217 code, in upper or lower case. */
  currency(field: Field, node: unknown): string | undefined {
    const code = this.text(field, node)?.toUpperCase();
    return code !== undefined && isCurrency(code) ? code : undefined;
  }

  /** The currency of an amount that may not be that of the offer, which it is if none is stated; undefined if it can't be read. */
  ownCurrency(field: Field, node: unknown, usual: string): string | undefined {
    return this.isStated(field, node) ? this.currency(field, node) : usual;
  }

  /** A wall clock; `zone` gives the time zone of instants. */
  local(field: Field, node: unknown, zone: Field): LocalDateTime | undefined {
    return field && readLocal(this.node(field, node), this.terms.times.read, this.#zone(zone, node));
  }

  /** A wall clock until which something is free, at a place in one of `zones` if the supplier states none. */
  deadline(field: Field, node: unknown, zone: Field, zones: () => readonly string[]): LocalDateTime | undefined {
    return field && readDeadline(this.node(field, node), this.terms.times.read, this.#zone(zone, node), zones);
  }

  #zone(field: Field, node: unknown): string | undefined {
    return countedZone(this.text(field, node), this.#otherZones) ?? this.terms.times.zone;
  }

  instant(field: Field, node: unknown): string | undefined {
    return field && readInstant(this.node(field, node), this.terms.times.read);
  }

  /** `HH:mm` of a day's clock, including 24:00. */
  clock(field: Field, node: unknown): string | undefined {
    if (this.terms.times.clock === 'HH:mm') return this.matching(field, node, /^(([01]\d|2[0-3]):[0-5]\d|24:00)$/);
    const minutes = this.count(field, node);
    if (minutes === undefined || minutes > 1_440) return undefined;
    return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
  }

  /** Our word for a code. */
  word<K extends WordKind>(kind: K, field: Field, node: unknown): WordOf<K> | undefined {
    const code = this.code(field, node);
    if (code === undefined) return undefined;
    const table = this.terms.tables[kind] as ReadonlyMap<string, WordOf<K>> | undefined;
    if (table) return table.get(code);
    return isWord(kind, code) ? code : undefined;
  }

  /** Our word for a code of an open list; without a table, the code itself if it has the format of our words. */
  openWord(kind: 'extra' | 'coverage' | 'fuel', field: Field, node: unknown): string | undefined {
    const code = this.code(field, node);
    const table = this.terms.tables[kind];
    if (code === undefined || table) return code === undefined ? undefined : table?.get(code);
    return /^[a-z][a-z_]{0,39}$/.test(code) ? code : undefined;
  }

  sippCode(field: Field, node: unknown): string | undefined {
    const code = this.code(field, node);
    const sipp = code === undefined ? undefined : this.terms.tables.sipp ? this.terms.tables.sipp.get(code) : code;
    return sipp !== undefined && /^[A-Z]{4}$/.test(sipp) ? sipp : undefined;
  }

  /** Our spelling of a brand. */
  brand(field: Field, node: unknown): string | undefined {
    const code = this.code(field, node);
    return code !== undefined && this.terms.tables.brand ? this.terms.tables.brand.get(code) : code;
  }

  /** What later calls need, as the supplier wrote it; undefined if any member is missing, too long or not a scalar. */
  ref(fields: Readonly<Record<string, Expression>>, node: unknown): SupplierOffer['supplierRef'] | undefined {
    const ref: Record<string, string | number | boolean> = {};
    for (const [name, field] of Object.entries(fields)) {
      const value = this.node(field, node);
      if (!isReturnable(value)) return undefined;
      ref[name] = value;
    }
    return ref;
  }

  /**
   * The result of `read` for an object or list of the answer, computed once and shared by all rows that refer to it.
   * `key` names everything else the result depends on.
   */
  shared<T>(source: unknown, key: string, read: () => T): T {
    if (typeof source !== 'object' || source === null) return read();
    const known = this.#shared.get(source);
    if (known?.key === key) return known.value as T;
    const value = read();
    this.#shared.set(source, { key, value });
    return value;
  }

  private code(field: Field, node: unknown): string | undefined {
    const value = this.node(field, node);
    return typeof value === 'boolean' ? String(value) : textOf(value, MAX_TEXT);
  }
}
