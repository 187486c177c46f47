/**
 * The kinds of warnings and their meanings (docs/supplier-states.md#warnings). They are labels of a metric, so the
 * list is short and closed.
 */
export const WARNING_KINDS = {
  row_dropped: 'A row was left out because a required value other than an amount is missing or unreadable',
  amount_rejected: 'An amount is ambiguous, unreadable or in another currency; it or its row was left out',
  contradiction: 'The answer contradicts itself, or the request: a row for something else than requested was left out',
  unknown_code: 'A code has no meaning in the model; a default was used',
  incomplete: 'A value or page is missing; the result has less, or another value in its place',
  not_sent: 'The supplier was not called, or not asked for everything, because its dialect cannot express it',
  notice: 'The supplier sent warnings or errors of its own along with its data',
} as const;

export type WarningKind = keyof typeof WARNING_KINDS;

/** Something that was odd about an answer, or about a request that the dialect can't express. */
export interface Warning {
  readonly kind: WarningKind;
  /** For operators and adapter authors, never for callers. It may quote the supplier. */
  readonly text: string;
  /** How often it occurred in the answer, at least 1. */
  readonly times: number;
}

/** Maximum distinct texts kept per answer. */
const MOST_TEXTS = 50;
const MOST_CHARACTERS = 300;
const NONE: readonly Warning[] = [];

/**
 * Collects the warnings of one answer. Equal texts become one warning. Texts beyond the fiftieth are only counted, in
 * one warning per kind, so that no answer makes the list long.
 */
export class Warnings {
  #byText: Map<string, { readonly kind: WarningKind; readonly text: string; times: number }> | undefined;

  add(kind: WarningKind, text: string, times = 1): void {
    this.#byText ??= new Map();
    const isFull = this.#byText.size >= MOST_TEXTS;
    const kept = text.slice(0, MOST_CHARACTERS);
    const known = this.#byText.get(`${kind} ${kept}`);
    const own = known || !isFull ? kept : 'further warnings of this kind';
    const warning = known ?? this.#byText.get(`${kind} ${own}`);
    if (warning) warning.times += times;
    else this.#byText.set(`${kind} ${own}`, { kind, text: own, times });
  }

  addAll(warnings: readonly Warning[]): void {
    for (const { kind, text, times } of warnings) this.add(kind, text, times);
  }

  /** In the order in which they first occurred; empty if there are none. */
  get list(): readonly Warning[] {
    return this.#byText === undefined ? NONE : [...this.#byText.values()];
  }
}

/** The warnings of several parts of one answer, as one list. */
export function allWarnings(
  parts: readonly { readonly warnings?: readonly Warning[] | undefined }[],
): readonly Warning[] {
  const all = new Warnings();
  for (const { warnings } of parts) all.addAll(warnings ?? []);
  return all.list;
}

/** The list with one warning. */
export function oneWarning(kind: WarningKind, text: string): readonly Warning[] {
  return [{ kind, text, times: 1 }];
}
