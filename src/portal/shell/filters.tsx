import type { ComponentChildren } from 'preact';
import { z } from 'zod';

/** A filter in a query; anything invalid is ignored, so the page is always shown. PostgreSQL rejects NUL. */
export const filterText = z
  .string()
  .trim()
  .max(200)
  .regex(/^\P{Cc}*$/u)
  .transform((text) => text || undefined)
  .optional()
  .catch(undefined);

/** Filters as entered, by name. */
type Typed = Readonly<Record<string, string | undefined>>;

/** A filter of a list: a choice if it has options, otherwise a text or time. */
interface Filter<Name extends string = string> {
  readonly name: Name;
  readonly label: string;
  /** Values, with their text where it differs from the value in words. */
  readonly options?: readonly (string | readonly [value: string, text: string])[];
  /** The option without a filter; default: Any. */
  readonly all?: string;
  /** Default: search. */
  readonly type?: 'datetime-local' | 'date';
  readonly placeholder?: string;
}

interface Props<T extends Typed> {
  /** The path of the list. */
  readonly action: string;
  readonly typed: T;
  readonly filters: readonly Filter<keyof T & string>[];
  /** Shown on demand, or if one of them is set. */
  readonly further?: readonly Filter<keyof T & string>[];
  /** Further links. */
  readonly children?: ComponentChildren;
}

/** The form above a list by which it is filtered. */
export function FilterForm<T extends Typed>({ action, typed, filters, further = [], children }: Props<T>) {
  const fields = (shown: Props<T>['filters']) =>
    shown.map((filter) => <FilterField key={filter.name} filter={filter} value={typed[filter.name]} />);
  return (
    <form class="filters" method="get" action={action}>
      {fields(filters)}
      {further.length > 0 && (
        <details class="further" open={further.some(({ name }) => typed[name])}>
          <summary>More filters</summary>
          <div class="filters">{fields(further)}</div>
        </details>
      )}
      <p class="actions">
        <button type="submit">Filter</button>
        {children}
        <a href={action}>Clear</a>
      </p>
    </form>
  );
}

function FilterField({ filter, value }: { filter: Filter; value: string | undefined }) {
  const { name, label, type = 'search', placeholder } = filter;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {filter.options ? (
        <Choice filter={filter} value={value} />
      ) : (
        <input id={name} name={name} type={type as 'search'} value={value ?? ''} placeholder={placeholder} />
      )}
    </div>
  );
}

/** A value that is none of the options is shown as it is, because the list is filtered by it. */
function Choice({ filter: { name, options = [], all = 'Any' }, value }: { filter: Filter; value: string | undefined }) {
  const pairs = options.map((one) => (typeof one === 'string' ? ([one, one.replaceAll('_', ' ')] as const) : one));
  return (
    <select id={name} name={name}>
      <option value="">{all}</option>
      {pairs.map(([known, text]) => (
        <option key={known} value={known} selected={value === known}>
          {text}
        </option>
      ))}
      {value && !pairs.some(([known]) => known === value) && <option selected>{value}</option>}
    </select>
  );
}

/** A path with the filters that are set. */
export function filteredPath(path: string, typed: Typed): string {
  const given = Object.entries(typed).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}
