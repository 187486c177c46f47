interface InputProps {
  readonly name: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly type?: 'search' | 'datetime-local' | 'date';
  readonly placeholder?: string;
}

/** A text or time by which a list is filtered. */
export function FilterInput({ name, label, value, type = 'search', placeholder }: InputProps) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input id={name} name={name} type={type as 'search'} value={value ?? ''} placeholder={placeholder} />
    </div>
  );
}

interface SelectProps {
  readonly name: string;
  readonly label: string;
  /** The option without a filter. */
  readonly all: string;
  readonly value: string | undefined;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A choice by which a list is filtered. A value that is none of the options is shown as it is, because the list is filtered by it. */
export function FilterSelect({ name, label, all, value, options }: SelectProps) {
  const isOther = value !== undefined && value !== '' && !options.some(([known]) => known === value);
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">{all}</option>
        {options.map(([known, text]) => (
          <option key={known} value={known} selected={value === known}>
            {text}
          </option>
        ))}
        {isOther && <option selected>{value}</option>}
      </select>
    </div>
  );
}
